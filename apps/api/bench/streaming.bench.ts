// Streams of one process: memory of each, and the time from the commit of a block to the last event, also
// beside streams that nobody reads.
//   node --import tsx apps/api/bench/streaming.bench.ts [streams]
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDb, INDEXED_CHANNEL, migrate } from '@shardwalk/db'
import { startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { Verdicts } from '@shardwalk/testkit'
import { collectGarbage } from '@shardwalk/testkit/collect-garbage'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import type { Streams } from '../src/streaming/streams.ts'
import { loadSampleChain } from '../test/sample-chain.ts'

const streams = Number(process.argv[2] ?? 5000)
const ADDRESSES_EACH = 5
const START = 300
const BLOCKS = 60
/** Streams that nobody reads, of the accounts with most transactions, and what they may cost. */
const STUCK = 50
const STUCK_MS = 10
const verdicts = new Verdicts()

async function memory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return process.memoryUsage().rss
}

const folder = mkdtempSync(join(tmpdir(), 'streaming-bench-'))
const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } })
const handle = createDb({ url: server.url, statementTimeoutMs: 0 })
await migrate(handle.db)
await loadSampleChain(handle)
await handle.pool.query('update indexed_ranges set to_seqno = $1', [START])

const kept = createDb({ url: server.url })
configurePlans(kept.pool, 'kept')
const listening = createDb({ url: server.url, max: 1 })
let made: Streams | undefined
const app = createApi({
  db: keepPlans(handle.pool, kept.pool),
  streaming: { pool: listening.pool },
  onStreams: (one) => {
    made = one
  },
})
const api = await listen(app, { host: '127.0.0.1', port: 0 }, { connections: streams + STUCK + 100 })

const { rows } = await handle.pool.query(
  `select a.workchain || ':' || upper(encode(a.address, 'hex')) as raw from accounts a
   order by (select count(*) from transactions t where t.account_id = a.id and t.mc_block_seqno > $1) desc`,
  [START],
)
const real = rows.map((row) => row.raw as string)
const needed = streams * ADDRESSES_EACH
const invented = Array.from(
  { length: Math.max(0, needed - real.length) },
  (_, i) => `0:${i.toString(16).toUpperCase().padStart(64, '0')}`,
)
const addresses = [...real, ...invented].slice(0, needed)

const child: ChildProcess = fork(fileURLToPath(new URL('./streaming-clients.ts', import.meta.url)), {
  execArgv: ['--import', 'tsx'],
})
async function ask(message: object | string): Promise<{ events: number; lastAt: number }> {
  child.send(message)
  const [answer] = await once(child, 'message')
  return answer
}

const before = await memory()
await ask({ port: api.port, streams, addresses, each: ADDRESSES_EACH })
const after = await memory()
console.log(`${streams} streams, ${ADDRESSES_EACH} addresses each`)
verdicts.atMost('memory per stream', 30, (after - before) / streams / 1024, 'KiB')

let events = 0
const alone = await delaysOf(START + 1)
verdicts.atMost('commit to last event, median', 150, medianOf(alone), 'ms')
const busiest = real.slice(0, ADDRESSES_EACH)
await ask({ port: api.port, streams: STUCK, addresses: busiest, each: ADDRESSES_EACH, stuckFrom: 1 })
const filledMs = await untilIdle()
console.log(`what they missed fills them in ${(filledMs / 1000).toFixed(1)} s`)
const beside = await delaysOf(START + BLOCKS + 1)
verdicts.atMost(
  `later beside ${STUCK} that nobody reads by`,
  STUCK_MS,
  medianOf(beside) - medianOf(alone),
  'ms',
)

/** Until this process uses less than a tenth of a core: what they missed is read, and waits for them. */
async function untilIdle(): Promise<number> {
  const start = performance.now()
  for (let before = process.cpuUsage(); performance.now() - start < 180_000; before = process.cpuUsage()) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const { user, system } = process.cpuUsage(before)
    if (user + system < 100_000) return performance.now() - start
  }
  throw new Error('streams that nobody reads keep the process busy')
}

/** From the commit of each block with events to the last of them, sorted. Milliseconds. */
async function delaysOf(first: number): Promise<readonly number[]> {
  const delays: number[] = []
  const eventsBefore = events
  for (let seqno = first; seqno < first + BLOCKS; seqno++) {
    const delay = await delayOf(seqno)
    if (delay !== undefined) delays.push(delay)
  }
  delays.sort((a, b) => a - b)
  const p99 = delays[Math.floor((delays.length - 1) * 0.99)]
  console.log(
    `${events - eventsBefore} events of ${delays.length} blocks: ` +
      `median ${medianOf(delays)} ms, p99 ${p99} ms`,
  )
  return delays
}

async function delayOf(seqno: number): Promise<number | undefined> {
  const committedAt = Date.now()
  await handle.pool.query('update indexed_ranges set to_seqno = $1', [seqno])
  await handle.pool.query('select pg_notify($1, $2)', [INDEXED_CHANNEL, String(seqno)])
  while (made!.follower.position !== seqno) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const count = await ask('count')
  const isReceived = count.events > events
  events = count.events
  return isReceived ? count.lastAt - committedAt : undefined
}

function medianOf(sorted: readonly number[]): number {
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}
verdicts.print()

child.kill()
made!.close()
await api.close(500)
for (const one of [listening, kept, handle]) await one.close()
await server.stop()
rmSync(folder, { recursive: true, force: true })
