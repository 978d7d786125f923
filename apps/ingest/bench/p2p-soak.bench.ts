// Does ingest run for long on full nodes alone, at 2.5 blocks per second, with one of three nodes lying, one
// silent, and a line that loses and reorders? Prints memory and the longest pause every minute, and verdicts
// at the end; the exit code is 1 if one is bad.
//   npm run bench -- p2p-soak 60     minutes; default: 2
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { INDEXED_CHANNEL } from '@shardwalk/db'
import { readDhtConfig } from '@shardwalk/dht'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import { damagedLine } from '@shardwalk/replay'
import { FullNodeSource, Recording } from '@shardwalk/sources'
import { scratchDatabase } from '@shardwalk/testkit'
import { startIngest } from '../src/ingest.ts'
import type { FullNodesMessage } from './full-nodes-process.ts'
import { LINE_FAULTS } from './line-faults.ts'

const minutes = Number(process.argv[2] ?? 2)
const INTERVAL_MS = 400
const FIRST = 50
const STEPS = FIRST + Math.ceil((minutes * 60_000) / INTERVAL_MS)
const MEGABYTE = 1 << 20
/** Blocks that are kept for those who ask for them soon, and buffers that the process never gives back. */
const CACHES_MB = 96
const HEAP_GROWTH_MB = 24

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const folder = mkdtempSync(join(tmpdir(), 'p2p-soak-'))
console.log(`a chain of ${STEPS} blocks is generated`)
const nodes = fork(
  fileURLToPath(new URL('./full-nodes-process.ts', import.meta.url)),
  [folder, STEPS, 8, 2, FIRST, INTERVAL_MS, 'faults'].map(String),
  { execArgv: ['--import', 'tsx'] },
)
const [ready] = (await once(nodes, 'message')) as [Extract<FullNodesMessage, { type: 'ready' }>]
const recording = await Recording.open(folder)
const source = await FullNodeSource.open({
  dht: readDhtConfig({ dht: ready.dht })!,
  zerostateId: recording.network.zerostate,
  host: '127.0.0.1',
  log: silentLogger,
  line: damagedLine(LINE_FAULTS),
})
await recording.close()
const scratch = await scratchDatabase()

let newest = 0
let movedAt = performance.now()
/** Milliseconds between two heads in the tables. */
let pause = 0
let longestPause = 0
const listener = await scratch.pool.connect()
listener.on('notification', ({ payload }) => {
  if (Number(payload) <= newest) return
  newest = Number(payload)
  if (newest > FIRST) notePause()
  movedAt = performance.now()
})
await listener.query(`listen ${INDEXED_CHANNEL}`)
const notePause = () => {
  pause = Math.max(pause, performance.now() - movedAt)
}

const ingest = await startIngest({
  ...{ source, database: scratch, decodeThreads: 1, log: silentLogger, metrics: noMetrics },
  queueStore: { databaseUrl: scratch.url },
  ...{ start: 'genesis', order: 'newest-first', backfillConcurrency: 2 },
})
while (newest < FIRST) await delay(20)
console.log(`blocks of ${ready.meanSize} bytes, interval ${INTERVAL_MS} ms`)
console.log('minute heap MB rss MB  behind  pause s CPU %   by broadcast, asked for')

let head = FIRST
let ended = false
let cpuBefore = { usage: process.cpuUsage(), at: performance.now() }
nodes.on('message', (message: FullNodesMessage) => {
  if (message.type === 'head') head = message.seqno
  if (message.type === 'end') ended = true
})
nodes.send('go')
movedAt = performance.now()
const samples: { readonly heap: number; readonly rss: number }[] = []
while (!ended) {
  for (let waited = 0; waited < 60_000 && !ended; waited += 500) {
    await delay(500)
    if (!ended) notePause()
  }
  sample()
}
for (let waited = 0; newest < STEPS && waited < 20_000; waited += 100) await delay(100)
const isComplete = await complete()

// What is loaded and cached at first counts as no growth.
const settled = samples[Math.floor(samples.length / 4)]!
const last = samples.at(-1)!
verdict('longest pause, s', longestPause / 1_000, 10)
verdict('growth of the heap, MB', last.heap - settled.heap, HEAP_GROWTH_MB)
verdict('growth of the process, MB', last.rss - settled.rss, CACHES_MB)
verdict('blocks that are missing', isComplete ? 0 : STEPS - newest, 0)

listener.release(true)
await ingest.close(5_000)
await source.close()
nodes.disconnect()
await scratch.close()
rmSync(folder, { recursive: true, force: true })
process.exit()

function sample(): void {
  collectGarbage()
  const { heapUsed, rss } = process.memoryUsage()
  const figures = { heap: heapUsed / MEGABYTE, rss: rss / MEGABYTE }
  samples.push(figures)
  longestPause = Math.max(longestPause, pause)
  const { broadcast, asked } = source.following.counts
  const memory = [figures.heap.toFixed(1), figures.rss.toFixed(0)]
  const line = [samples.length, ...memory, head - newest, (pause / 1_000).toFixed(1), cpuShare().toFixed(0)]
  console.log(`${line.map((text) => String(text).padEnd(7)).join(' ')} ${broadcast}, ${asked}`)
  pause = 0
}

/** Percent of one core since the last call. */
function cpuShare(): number {
  const { user, system } = process.cpuUsage(cpuBefore.usage)
  const share = (user + system) / 10 / (performance.now() - cpuBefore.at)
  cpuBefore = { usage: process.cpuUsage(), at: performance.now() }
  return share
}

async function complete(): Promise<boolean> {
  const { rows } = await scratch.pool.query<{ from: number; to: number }>(
    'select from_seqno as from, to_seqno as to from indexed_ranges order by 1',
  )
  return rows.length === 1 && rows[0]!.from <= 1 && rows[0]!.to >= STEPS
}

function verdict(what: string, value: number, most: number): void {
  if (value > most) process.exitCode = 1
  console.log(`${value <= most ? 'good' : 'BAD '}  ${what}: ${value.toFixed(1)} (at most ${most})`)
}
