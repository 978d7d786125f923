// How long after the last symbol that its blocks needed is a broadcast masterchain block in the tables? Full
// nodes in another process broadcast generated blocks of about 100 KB over loopback, 2.5 per second.
//   npm run bench -- p2p-head 60     blocks
import { decodeUnion, overlayBroadcast } from '@shardwalk/tl'
import { openFullNodesRun } from './full-nodes-run.ts'

const blocks = Number(process.argv[2] ?? 40)
const [FIRST, INTERVAL_MS, TARGET_MS] = [10, 400, 150]
const LAST = FIRST + blocks

/** Unix milliseconds at which a broadcast had as many different symbols as it needs, by its hash. */
const enoughAt = new Map<string, number>()
const symbols = new Map<string, Set<number>>()
const fileHashOf = new Map<string, string>()
/** The same by the block's file hash. */
const arrivedAt = new Map<string, number>()
const visibleAt = new Map<number, number>()
let newest = 0
const movedAt = new Map<number, number>()
const run = await openFullNodesRun({
  ...{ steps: LAST, first: FIRST, intervalMs: INTERVAL_MS, accounts: 300, transactions: 60 },
  onSource({ network: { masterchain, basechain } }) {
    for (const { broadcasts } of [masterchain, basechain]) {
      const receive = broadcasts.receive.bind(broadcasts)
      broadcasts.receive = (message) => {
        note(message)
        receive(message)
      }
    }
  },
  onIndexed(seqno) {
    for (; newest < seqno; newest++) visibleAt.set(newest + 1, Date.now())
  },
  onHead: (seqno, at) => movedAt.set(seqno, at),
})
await run.go()

const afterSymbol: number[] = []
const afterMove: number[] = []
for (let seqno = FIRST + 1; seqno <= newest; seqno++) {
  const { block, shards } = run.recording.step(seqno)!
  afterMove.push(visibleAt.get(seqno)! - movedAt.get(seqno)!)
  const times = [...shards, block].map(({ id }) => arrivedAt.get(id.fileHash.toString('hex')))
  const lag = times.every((time) => time !== undefined) ? visibleAt.get(seqno)! - Math.max(...times) : -1
  // Negative: somebody was asked for a block before all of it was broadcast.
  if (lag >= 0) afterSymbol.push(lag)
}
console.log(`${afterSymbol.length} of ${blocks} blocks came by broadcast; ms until they are in the tables`)
const median = report('after the last needed symbol', afterSymbol)
report('after the first was sent', afterMove)
const isGood = newest >= LAST && afterSymbol.length >= blocks / 2 && median <= TARGET_MS
if (!isGood) process.exitCode = 1
console.log(`${isGood ? 'good' : 'BAD '}  target: median at most ${TARGET_MS} ms`)

await run.close()
process.exit()

/** Counts a symbol. The hash names a broadcast; the payload begins with the id of its block. */
function note(message: Buffer): void {
  const part = decodeUnion(overlayBroadcast, message)
  if (part.kind !== 'overlay.broadcastFec') return
  const name = part.dataHash.toString('hex')
  const seen = symbols.get(name) ?? new Set()
  symbols.set(name, seen.add(part.seqno))
  // The first symbol begins with the block's id: constructor, workchain, shard, seqno, root hash, file hash.
  if (part.seqno === 0) fileHashOf.set(name, part.data.subarray(52, 84).toString('hex'))
  if (seen.size === part.fec.symbolsCount) enoughAt.set(name, Date.now())
  const [fileHash, at] = [fileHashOf.get(name), enoughAt.get(name)]
  if (fileHash !== undefined && at !== undefined && !arrivedAt.has(fileHash)) arrivedAt.set(fileHash, at)
}

function report(what: string, values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY
  console.log(`${what}: median ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, longest ${at(1)}`)
  return at(0.5)
}
