// Measures how long after lite servers have a masterchain block its rows are visible to readers, with
// contracts, actions and a concurrent backfill, over links with a round trip.
//   node --import tsx apps/ingest/bench/head-lag.bench.ts [blocks] [interval] [round trip] [servers]
// Interval (between blocks) and round trip in milliseconds.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { liteServerStates } from '@shardwalk/contract-indexer'
import { INDEXED_CHANNEL } from '@shardwalk/db'
import { CheckedPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import type { AskOptions } from '@shardwalk/pipeline'
import { LiteserverSource } from '@shardwalk/sources'
import { scratchDatabase } from '@shardwalk/testkit'
import { startIngest } from '../src/ingest.ts'
import type { NetworkMessage } from './network-process.ts'

const [blocks = 100, intervalMs = 400, roundTripMs = 0, servers = 1] = process.argv.slice(2).map(Number)
const LAST = 529
const FIRST = Math.max(1, LAST - blocks)
/** Rate of history such that indexing it lasts as long as the run. Milliseconds per block. */
const HISTORY_MS = (blocks * intervalMs) / FIRST

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const network = fork(
  path('./network-process.ts'),
  [FIRST, blocks, intervalMs, roundTripMs, servers].map(String),
  {
    execArgv: ['--import', 'tsx'],
  },
)
const [ready] = (await once(network, 'message')) as [Extract<NetworkMessage, { type: 'ready' }>]
const configs = ready.configs.map(parseGlobalConfig)
const zeroState = configs[0]!.zeroState!
const pool = new CheckedPool({
  servers: configs.flatMap(({ liteServers }, index) =>
    liteServers.map((server) => ({ ...server, port: ready.ports[index]!, name: `server ${index}` })),
  ),
  zeroState,
})

class Source extends LiteserverSource {
  private nextAt = Number.POSITIVE_INFINITY

  startHistory(): void {
    this.nextAt = performance.now()
  }

  override async masterchainBlockId(seqno: number, options: AskOptions = {}) {
    if (!options.urgent) {
      while (performance.now() < this.nextAt) await delay(20)
      this.nextAt += HISTORY_MS
    }
    return super.masterchainBlockId(seqno, options)
  }
}
const source = new Source(pool, { zerostateId: zeroState })
const scratch = await scratchDatabase()

/** By seqno, Unix milliseconds: when servers had the block, and when it was visible. */
const appeared = new Map<number, number>()
const visible = new Map<number, number>()
let newest = FIRST
const listener = await scratch.pool.connect()
listener.on('notification', ({ payload }) => {
  for (; newest < Number(payload); newest++) visible.set(newest + 1, Date.now())
})
await listener.query(`listen ${INDEXED_CHANNEL}`)

const ingest = await startIngest({
  ...{ source, database: scratch, decodeThreads: 1, log: silentLogger, metrics: noMetrics },
  queueStore: { databaseUrl: scratch.url },
  start: 1,
  order: 'newest-first',
  backfillConcurrency: 4,
  contracts: { states: liteServerStates(pool), threads: 1 },
})
const actions = spawn(process.execPath, ['--import', 'tsx', path('../../actions/src/worker.ts')], {
  env: { ...process.env, DATABASE_URL: scratch.url, LOG_LEVEL: 'error' },
  stdio: 'inherit',
})
while (ingest.state.newestIndexed < FIRST) await delay(20)
await delay(3_000)

const before = ingest.state.totals.masterchainBlocks
source.startHistory()
network.send('go')
const requestsPerBlock = await new Promise<number>((resolve) => {
  network.on('message', (message: NetworkMessage) => {
    if (message.type === 'head') appeared.set(message.seqno, message.at)
    if (message.type === 'end') resolve(message.requestsPerBlock)
  })
})
for (let waited = 0; visible.size < blocks && waited < 20_000; waited += 50) await delay(50)

const lags = [...visible].map(([seqno, at]) => at - appeared.get(seqno)!)
report('all', lags)
report('first 40', lags.slice(0, 40))
report('last 40', lags.slice(-40))
const history = ingest.state.totals.masterchainBlocks - before - lags.length
console.log(
  `${lags.length} of ${blocks} blocks, one every ${intervalMs} ms, ${servers} servers at ${roundTripMs} ms`,
)
console.log(`beside it ${history} of history; ${requestsPerBlock.toFixed(1)} requests per block`)
console.log(`target: median ${2 * roundTripMs + 100} ms, p99 1500 ms`)

actions.kill()
listener.release(true)
await ingest.close(5_000)
await source.close()
network.kill()
await scratch.close()
process.exit(0)

function report(which: string, values: readonly number[]): void {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  console.log(`${which}: median ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`)
}
