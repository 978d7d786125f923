// How long after the last symbol that its blocks needed is a broadcast masterchain block in the tables? Full
// nodes in another process broadcast generated blocks of about 100 KB over loopback, 2.5 per second.
//   npm run bench -- p2p-head 60     blocks
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { INDEXED_CHANNEL } from '@shardwalk/db'
import { readDhtConfig } from '@shardwalk/dht'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import { FullNodeSource, Recording } from '@shardwalk/sources'
import { scratchDatabase } from '@shardwalk/testkit'
import { decodeUnion, overlayBroadcast } from '@shardwalk/tl'
import { startIngest } from '../src/ingest.ts'
import type { FullNodesMessage } from './full-nodes-process.ts'

const blocks = Number(process.argv[2] ?? 40)
const [FIRST, INTERVAL_MS, TARGET_MS] = [10, 400, 150]
const LAST = FIRST + blocks

const folder = mkdtempSync(join(tmpdir(), 'p2p-head-'))
console.log(`a chain of ${LAST} blocks is generated`)
const nodes = fork(
  fileURLToPath(new URL('./full-nodes-process.ts', import.meta.url)),
  [folder, LAST, 300, 60, FIRST, INTERVAL_MS].map(String),
  { execArgv: ['--import', 'tsx'] },
)
const [ready] = (await once(nodes, 'message')) as [Extract<FullNodesMessage, { type: 'ready' }>]
const recording = await Recording.open(folder)
const source = await FullNodeSource.open({
  dht: readDhtConfig({ dht: ready.dht })!,
  zerostateId: recording.network.zerostate,
  host: '127.0.0.1',
  log: silentLogger,
})
const scratch = await scratchDatabase()

/** Unix milliseconds at which a broadcast had as many different symbols as it needs, by its hash. */
const enoughAt = new Map<string, number>()
const symbols = new Map<string, Set<number>>()
const fileHashOf = new Map<string, string>()
/** The same by the block's file hash. */
const arrivedAt = new Map<string, number>()
const { masterchain, basechain } = source.network
for (const { broadcasts } of [masterchain, basechain]) {
  const receive = broadcasts.receive.bind(broadcasts)
  broadcasts.receive = (message) => {
    note(message)
    receive(message)
  }
}
const visibleAt = new Map<number, number>()
let newest = 0
const listener = await scratch.pool.connect()
listener.on('notification', ({ payload }) => {
  for (; newest < Number(payload); newest++) visibleAt.set(newest + 1, Date.now())
})
await listener.query(`listen ${INDEXED_CHANNEL}`)

const ingest = await startIngest({
  ...{ source, database: scratch, decodeThreads: 1, log: silentLogger, metrics: noMetrics },
  queueStore: { databaseUrl: scratch.url },
  ...{ start: 'genesis', order: 'newest-first', backfillConcurrency: 2 },
})
while (newest < FIRST) await delay(20)
const movedAt = new Map<number, number>()
const ended = new Promise<void>((resolve) => {
  nodes.on('message', (message: FullNodesMessage) => {
    if (message.type === 'head') movedAt.set(message.seqno, message.at)
    if (message.type === 'end') resolve()
  })
})
nodes.send('go')
await ended
for (let waited = 0; newest < LAST && waited < 20_000; waited += 50) await delay(50)

const afterSymbol: number[] = []
const afterMove: number[] = []
for (let seqno = FIRST + 1; seqno <= newest; seqno++) {
  const { block, shards } = recording.step(seqno)!
  afterMove.push(visibleAt.get(seqno)! - movedAt.get(seqno)!)
  const times = [...shards, block].map(({ id }) => arrivedAt.get(id.fileHash.toString('hex')))
  const lag = times.every((time) => time !== undefined) ? visibleAt.get(seqno)! - Math.max(...times) : -1
  // Negative: somebody was asked for a block before all of it was broadcast.
  if (lag >= 0) afterSymbol.push(lag)
}
console.log(`blocks of ${ready.meanSize} bytes, one masterchain block every ${INTERVAL_MS} ms`)
console.log(`${afterSymbol.length} of ${blocks} blocks came by broadcast; ms until they are in the tables`)
const median = report('after the last needed symbol', afterSymbol)
report('after the first was sent', afterMove)
const isGood = newest >= LAST && afterSymbol.length >= blocks / 2 && median <= TARGET_MS
if (!isGood) process.exitCode = 1
console.log(`${isGood ? 'good' : 'BAD '}  target: median at most ${TARGET_MS} ms`)

listener.release(true)
await ingest.close(5_000)
await source.close()
await recording.close()
nodes.disconnect()
await scratch.close()
rmSync(folder, { recursive: true, force: true })
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
