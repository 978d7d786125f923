// Does the pool cope with lite servers as they are? Over TCP and in real time: of eight servers three are 20
// blocks behind, two accept five requests per second and are the only ones with old blocks, one answers after
// 2 s, one closes connections at random, one is good. A follower of the head and a backfill share the pool.
// Prints verdicts; the exit code is 1 if one of them is bad.
//   node --import tsx packages/liteserver/bench/faults.bench.ts [seconds]
import { setTimeout as delay } from 'node:timers/promises'
import { decodeQuery, functionNameOf } from '@shardwalk/tl'
import { LiteServerPool, type QueryFault } from '../src/index.ts'
import { FakeLiteServer, fileOf, idOf } from '../test/fake-chain.ts'

const [seconds = 60] = process.argv.slice(2).map(Number)
const FIRST_HEAD = 100_000
const OLDEST = FIRST_HEAD - 20_000
const BLOCK_MS = 400
const WORKERS = 32
const PER_SECOND = 5
/** Rates and ages of the servers are learned in this time, which the rate of old blocks leaves out. */
const LEARNING_SECONDS = 10

interface Kind {
  readonly name: string
  readonly staleBy?: number
  /** Has all blocks. */
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
  limited(),
  limited(),
  { name: '2 s', fault: () => ({ kind: 'delay', ms: 2_000 }) },
  { name: 'closing', fault: () => (Math.random() < 0.05 ? { kind: 'close' } : undefined) },
  { name: 'good' },
]

class Server {
  readonly fake = new FakeLiteServer(FIRST_HEAD)
  /** Requests for blocks and their ids, answered or not. */
  asked = 0
  refused = 0

  constructor(readonly kind: Kind) {
    this.fake.oldest = kind.isArchive ? 0 : OLDEST
    this.fake.adnl.faults = { onQuery: (query) => this.onQuery(query) }
  }

  private onQuery(query: Buffer): QueryFault | undefined {
    const name = functionNameOf(decodeQuery(query).functionBytes)
    if (name === 'liteServer.getBlock' || name === 'liteServer.lookupBlock') this.asked++
    const fault = this.kind.fault?.()
    if (fault?.kind === 'error') this.refused++
    return fault
  }
}

const servers = KINDS.map((kind) => new Server(kind))
for (const { fake } of servers) await fake.start()
const pool = new LiteServerPool({ servers: servers.map(({ fake }) => fake.address) })
const startedAt = performance.now()
let isStopped = false

let head = FIRST_HEAD
const moving = setInterval(() => {
  head = FIRST_HEAD + Math.floor((performance.now() - startedAt) / BLOCK_MS)
  for (const { fake, kind } of servers) fake.advance(head - (kind.staleBy ?? 0))
}, 10)

const lags: number[] = []
async function follow(): Promise<void> {
  for (let seqno = FIRST_HEAD + 1; !isStopped; )
    try {
      const id = await pool.waitMasterchainSeqno(seqno, { timeoutMs: 10_000 })
      if (!id) continue
      await pool.getBlock(id, { urgent: true })
      lags.push(performance.now() - startedAt - (seqno - FIRST_HEAD) * BLOCK_MS)
      seqno++
    } catch (error) {
      if (!isStopped) console.log(`head: ${String(error)}`)
    }
}

let next = OLDEST - 1
let old = 0
async function backfill(): Promise<void> {
  while (!isStopped) {
    const seqno = next--
    const bytes = await pool.getBlock(idOf(seqno), { timeoutMs: 60_000 }).catch(() => undefined)
    if (bytes?.equals(fileOf(seqno))) old++
  }
}

void follow()
for (let i = 0; i < WORKERS; i++) void backfill()
await delay(LEARNING_SECONDS * 1_000)
const learning = old
await delay(seconds * 1_000)
isStopped = true
clearInterval(moving)

for (const { kind, asked, refused } of servers)
  console.log(`${kind.name}: ${asked} requests for blocks, ${refused} refused because of the rate`)
const text = (ms: number) => `${ms.toFixed(0)} ms`
const sorted = [...lags].sort((a, b) => a - b)
const at = (share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity
console.log(
  `${lags.length} of ${head - FIRST_HEAD} new blocks; lag p90 ${text(at(0.9))}, p99 ${text(at(0.99))}`,
)
const allowed = 2 * PER_SECOND
const rate = (old - learning) / seconds
const perBlock = servers.reduce((sum, { asked }) => sum + asked, 0) / (old + lags.length)
verdict('median lag of the head, ms', at(0.5), at(0.5) <= 1_000, 'at most 1000')
verdict('old blocks per second', rate, rate >= allowed * 0.8 && rate <= allowed * 1.2, `${allowed} +-20 %`)
verdict('requests per useful block', perBlock, perBlock <= 1.3, 'at most 1.3')
await pool.close()
await Promise.all(servers.map(({ fake }) => fake.stop()))

function verdict(what: string, value: number, isGood: boolean, target: string): void {
  if (!isGood) process.exitCode = 1
  console.log(`${isGood ? 'good' : 'BAD '}  ${what}: ${Number(value.toFixed(2))} (target: ${target})`)
}
