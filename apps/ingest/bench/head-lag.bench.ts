// How long after a lite server has a masterchain block are its rows visible to readers?
// node --import tsx apps/ingest/bench/head-lag.bench.ts [blocks] [milliseconds between blocks]
import { setTimeout as delay } from 'node:timers/promises'
import { INDEXED_CHANNEL } from '@shardwalk/db'
import { parseGlobalConfig } from '@shardwalk/liteserver'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import { startReplay } from '@shardwalk/replay'
import { LiteserverSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, scratchDatabase } from '@shardwalk/testkit'
import { CheckedPool } from '../src/checked-pool.ts'
import { startIngest } from '../src/ingest.ts'

const BLOCKS = Number(process.argv[2] ?? 100)
const INTERVAL_MS = Number(process.argv[3] ?? 400)
const FIRST = 100

const scratch = await scratchDatabase()
const replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER, startSeqno: FIRST })
const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
const pool = new CheckedPool({ servers: liteServers, zeroState })
const source = new LiteserverSource(pool, { zerostateId: zeroState })

const appeared = new Map<number, number>()
const lags: number[] = []
const listener = await scratch.pool.connect()
listener.on('notification', ({ payload }) => {
  const at = performance.now()
  for (const [seqno, since] of appeared) {
    if (seqno > Number(payload)) continue
    lags.push(at - since)
    appeared.delete(seqno)
  }
})
await listener.query(`listen ${INDEXED_CHANNEL}`)

const ingest = await startIngest({
  source,
  database: scratch,
  queueStore: { databaseUrl: scratch.url },
  start: 'head',
  order: 'off',
  decodeThreads: 1,
  backfillConcurrency: 1,
  log: silentLogger,
  metrics: noMetrics,
})
while (ingest.state.newestIndexed < FIRST) await delay(20)

for (let seqno = FIRST + 1; seqno <= FIRST + BLOCKS; seqno++) {
  appeared.set(seqno, performance.now())
  replay.setHead(seqno)
  await delay(INTERVAL_MS)
}
for (let waited = 0; appeared.size > 0 && waited < 10_000; waited += 50) await delay(50)

lags.sort((a, b) => a - b)
const percentile = (share: number) =>
  lags[Math.min(lags.length - 1, Math.floor(lags.length * share))]?.toFixed(0)
console.log(
  `${lags.length} of ${BLOCKS} blocks, one every ${INTERVAL_MS} ms, sample network, queue in PostgreSQL`,
)
console.log(
  `visible after: median ${percentile(0.5)} ms, p90 ${percentile(0.9)} ms, p99 ${percentile(0.99)} ms (target 300 / 1000)`,
)

listener.release(true)
await ingest.close(5_000)
await source.close()
await replay.close()
await scratch.close()
process.exit(0)
