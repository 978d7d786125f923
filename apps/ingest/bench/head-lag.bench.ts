// Measures how long after lite servers have a masterchain block its rows are visible to readers, with
// contracts, actions and a concurrent backfill, over links with a round trip.
//   node --import tsx apps/ingest/bench/head-lag.bench.ts [blocks] [interval] [round trip] [servers]
// Interval (between blocks) and round trip in milliseconds.
import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AskOptions } from '@shardwalk/pipeline'
import { LiteserverSource } from '@shardwalk/sources'
import { ingestFrom, openLiteServers } from './lite-servers-run.ts'
import type { NetworkMessage } from './network-process.ts'

const [blocks = 100, intervalMs = 400, roundTripMs = 0, servers = 1] = process.argv.slice(2).map(Number)
const LAST = 529
const FIRST = Math.max(1, LAST - blocks)
/** Rate of history such that indexing it lasts as long as the run. Milliseconds per block. */
const HISTORY_MS = (blocks * intervalMs) / FIRST

const { network, pool, zeroState } = await openLiteServers(new URL('./network-process.ts', import.meta.url), [
  ...[FIRST, blocks, intervalMs, roundTripMs, servers],
])

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
const ingest = await ingestFrom(source, pool, FIRST)
const { visible, scratch } = ingest
/** When servers had a block: by seqno, Unix milliseconds. */
const appeared = new Map<number, number>()

const worker = fileURLToPath(new URL('../../actions/src/worker.ts', import.meta.url))
const actions = spawn(process.execPath, ['--import', 'tsx', worker], {
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
await ingest.close()
network.kill()
process.exit(0)

function report(which: string, values: readonly number[]): void {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  console.log(`${which}: median ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`)
}
