// Streams of one process: memory of each, and the time from the commit of a block to the last event.
//   node --expose-gc --import tsx apps/api/bench/streaming.bench.ts [streams]
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createDb, INDEXED_CHANNEL, migrate } from '@shardwalk/db'
import { startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import type { Streams } from '../src/streaming/streams.ts'
import { loadSampleChain } from '../test/sample-chain.ts'

const streams = Number(process.argv[2] ?? 5000)
const ADDRESSES_EACH = 5
const START = 300
const BLOCKS = 60

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
async function memory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect()
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
const api = await listen(app, { host: '127.0.0.1', port: 0 }, { connections: streams + 100 })

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
console.log(`memory per stream: ${((after - before) / streams / 1024).toFixed(1)} KiB, target 30`)

const delays: number[] = []
let events = 0
for (let seqno = START + 1; seqno <= START + BLOCKS; seqno++) {
  const committedAt = Date.now()
  await handle.pool.query('update indexed_ranges set to_seqno = $1', [seqno])
  await handle.pool.query('select pg_notify($1, $2)', [INDEXED_CHANNEL, String(seqno)])
  while (made!.follower.position !== seqno) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const count = await ask('count')
  if (count.events > events) delays.push(count.lastAt - committedAt)
  events = count.events
}
delays.sort((a, b) => a - b)
const at = (part: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * part))]
console.log(`${events} events of ${delays.length} blocks`)
console.log(`commit to last event: median ${at(0.5)} ms, target 150; p99 ${at(0.99)} ms`)

child.kill()
made!.close()
await api.close(500)
for (const one of [listening, kept, handle]) await one.close()
await server.stop()
rmSync(folder, { recursive: true, force: true })
