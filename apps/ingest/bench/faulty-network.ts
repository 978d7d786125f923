// Child process of faults.bench.ts: eight lite servers as they are found in public lists, over one recorded
// chain. Arguments: first seqno of the head, blocks, ms between blocks, ms of a round trip.
import { setTimeout as delay } from 'node:timers/promises'
import type { QueryFault } from '@shardwalk/liteserver'
import { formatShortId, type ShortBlockId } from '@shardwalk/model'
import { startReplay } from '@shardwalk/replay'
import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, openSlowLink } from '@shardwalk/testkit'
import { decodeFunction, decodeQuery } from '@shardwalk/tl'
import { ARCHIVES, type FaultyNetworkMessage, LEARNING_MS, PER_SECOND } from './faulty-network-messages.ts'

const [first = 1, blocks = 1, intervalMs = 400, roundTripMs = 0] = process.argv.slice(2).map(Number)
const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
/** Blocks that only archives have, by short id. */
const old = new Set<string>()
for (const { block, mcBlockSeqno } of recording.blocks())
  if (mcBlockSeqno < first) old.add(formatShortId(block.id))

interface Kind {
  readonly name: string
  readonly staleBy?: number
  readonly isArchive?: boolean
  readonly fault?: () => QueryFault | undefined
}

/** Accepts so many requests within any second. */
function limited(): Kind {
  const accepted: number[] = []
  const fault = (): QueryFault | undefined => {
    const now = performance.now()
    while (accepted.length > 0 && accepted[0]! <= now - 1_000) accepted.shift()
    if (accepted.length >= PER_SECOND) return { kind: 'error', code: 429, message: 'too many requests' }
    accepted.push(now)
    return undefined
  }
  return { name: `${PER_SECOND} requests/s`, isArchive: true, fault }
}

const KINDS: readonly Kind[] = [
  ...[1, 2, 3].map(() => ({ name: 'stale by 20', staleBy: 20 })),
  ...Array.from({ length: ARCHIVES }, limited),
  { name: '2 s', fault: () => ({ kind: 'delay', ms: 2_000 }) },
  { name: 'closing', fault: () => (Math.random() < 0.05 ? { kind: 'close' } : undefined) },
  { name: 'good' },
]

/** Blocks that were returned at least once. */
const returned = new Set<string>()

const servers = await Promise.all(
  KINDS.map(async (kind, index) => {
    const counts = { forBlocks: 0, refused: 0, others: 0 }
    const onQuery = (query: Buffer): QueryFault | undefined => {
      const id = blockAskedFor(query)
      if (id) counts.forBlocks++
      else counts.others++
      if (id && !kind.isArchive && old.has(formatShortId(id)))
        return { kind: 'error', code: 651, message: 'block is not in db' }
      const fault = kind.fault?.()
      if (fault?.kind === 'error') counts.refused++
      if (id && isBlock(query) && (fault === undefined || fault.kind === 'delay'))
        returned.add(formatShortId(id))
      return fault
    }
    const replay = await startReplay({
      recording,
      startSeqno: first - (kind.staleBy ?? 0),
      seed: Buffer.alloc(32, index + 1),
      faults: { onQuery },
    })
    const link = await openSlowLink({ host: replay.host, port: replay.port, roundTripMs })
    return { kind, counts, replay, port: link.port }
  }),
)

const returnedOld = (): number => [...returned].filter((id) => old.has(id)).length

const isBlock = (query: Buffer): boolean =>
  decodeFunction(decodeQuery(query).functionBytes).name === 'liteServer.getBlock'

/** The block that a query asks for, by id or by seqno. */
function blockAskedFor(query: Buffer): ShortBlockId | undefined {
  const { name, args } = decodeFunction(decodeQuery(query).functionBytes)
  if (name === 'liteServer.getBlock' || name === 'liteServer.lookupBlock') return args.id
  return undefined
}

const send = (message: FaultyNetworkMessage) => process.send!(message)
process.on('message', async () => {
  const startedAt = performance.now()
  const learned = delay(LEARNING_MS).then(() => ({ blocks: returnedOld(), at: performance.now() }))
  for (let seqno = first + 1; seqno <= first + blocks; seqno++) {
    for (const { replay, kind } of servers) replay.setHead(Math.max(1, seqno - (kind.staleBy ?? 0)))
    send({ type: 'head', seqno, at: Date.now() })
    // By elapsed time: late timers must not slow the chain down.
    await delay(Math.max(0, startedAt + (seqno - first) * intervalMs - performance.now()))
  }
  const counts = servers.map(({ kind, counts }) => ({ name: kind.name, ...counts }))
  const { blocks: before, at } = await learned
  const oldPerSecond = (returnedOld() - before) / ((performance.now() - at) / 1_000)
  send({ type: 'end', counts, returned: [...returned], oldPerSecond })
})
send({
  type: 'ready',
  configs: servers.map(({ replay }) => replay.globalConfig),
  ports: servers.map(({ port }) => port),
})
