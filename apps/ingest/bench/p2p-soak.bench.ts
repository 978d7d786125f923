// Does ingest run for long on full nodes alone, at 2.5 blocks per second, one of three nodes dishonest, one
// silent, and a line that loses and reorders? Prints memory and the longest pause every minute, and verdicts
// at the end; the exit code is 1 if one is bad.
//   npm run bench -- p2p-soak 60         minutes; default: 2
//   npm run bench -- p2p-soak 10 100     milliseconds between blocks; default: 400
import { setTimeout as delay } from 'node:timers/promises'
import { openFullNodesRun } from './full-nodes-run.ts'
import { type ProcessMemory, processMemory } from './process-memory.ts'

const [minutes = 2, INTERVAL_MS = 400] = process.argv.slice(2).map(Number)
const FIRST = 50
const STEPS = FIRST + Math.ceil((minutes * 60_000) / INTERVAL_MS)
/** What is kept of the last minutes and hours; beyond that nothing may grow. */
const HEAP_GROWTH_MB = 24
const BUFFERS_GROWTH_MB = 24
const PROCESS_GROWTH_MB = 64

let newest = 0
let head = FIRST
let movedAt = performance.now()
/** Milliseconds between two heads in the tables. */
let pause = 0
let longestPause = 0
const notePause = () => {
  pause = Math.max(pause, performance.now() - movedAt)
}
const run = await openFullNodesRun({
  ...{ steps: STEPS, first: FIRST, intervalMs: INTERVAL_MS, accounts: 8, transactions: 2, hasFaults: true },
  onIndexed(seqno) {
    if (seqno <= newest) return
    newest = seqno
    if (newest > FIRST) notePause()
    movedAt = performance.now()
  },
  onHead(seqno) {
    head = seqno
  },
})
console.log('megabytes: used and total heap, external, buffers of it, resident, anonymous of it')
console.log('unread: datagrams since the start that the kernel dropped because the socket was full')
const COLUMNS = [
  'minute',
  'used',
  'total',
  'extern.',
  'buffers',
  'resid.',
  'anon.',
  'behind',
  'pause s',
  'CPU %',
]
console.log(`${[...COLUMNS, 'unread'].map((name) => name.padEnd(7)).join(' ')} by broadcast, asked`)

let cpuBefore = { usage: process.cpuUsage(), at: performance.now() }
movedAt = performance.now()
let ended = false
const going = run.go().then(() => {
  ended = true
})
const samples: ProcessMemory[] = []
while (!ended) {
  for (let waited = 0; waited < 60_000 && !ended; waited += 500) {
    await delay(500)
    if (head < STEPS) notePause()
  }
  sample()
}
await going
const isComplete = await complete()

// What is loaded and cached at first counts as no growth.
const settled = samples[Math.floor(samples.length / 4)]!
const last = samples.at(-1)!
verdict('longest pause, s', longestPause / 1_000, 10)
verdict('growth of the heap, MB', last.heapUsed - settled.heapUsed, HEAP_GROWTH_MB)
verdict('growth of buffers, MB', last.arrayBuffers - settled.arrayBuffers, BUFFERS_GROWTH_MB)
verdict('growth of the process, MB', last.rss - settled.rss, PROCESS_GROWTH_MB)
verdict('blocks that are missing', isComplete ? 0 : STEPS - newest, 0)

await run.close()
process.exit()

function sample(): void {
  const memory = processMemory()
  samples.push(memory)
  longestPause = Math.max(longestPause, pause)
  const { heapUsed, heapTotal, external, arrayBuffers, rss, anonymous } = memory
  const sizes = [heapUsed, heapTotal, external, arrayBuffers, rss, anonymous].map((size) => size.toFixed(1))
  const { udp, head: heads } = run.source.report()
  const { broadcast, asked } = heads
  const busy = [(pause / 1_000).toFixed(1), cpuShare().toFixed(0), udp.overrun ?? '?']
  const line = [samples.length, ...sizes, head - newest, ...busy]
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
  const { rows } = await run.pool.query<{ from: number; to: number }>(
    'select from_seqno as from, to_seqno as to from indexed_ranges order by 1',
  )
  return rows.length === 1 && rows[0]!.from <= 1 && rows[0]!.to >= STEPS
}

function verdict(what: string, value: number, most: number): void {
  if (value > most) process.exitCode = 1
  console.log(`${value <= most ? 'good' : 'BAD '}  ${what}: ${value.toFixed(1)} (at most ${most})`)
}
