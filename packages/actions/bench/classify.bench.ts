// Measures how many traces one core classifies, over all fixtures. Rates are per second of CPU time. Run:
// node --import tsx packages/actions/bench/classify.bench.ts
import { performance } from 'node:perf_hooks'
import { classifyTrace, readTraceFile, rowToJson } from '../src/index.ts'
import { readTrace, traceNames } from '../test/fixture-files.ts'

const ROUNDS = 40

const files = traceNames().map((name) => ({ name, ...readTraceFile(readTrace(name)) }))
const transactions = files.reduce((sum, { trace }) => sum + trace.transactions.length, 0)
const best = new Map<string, number>()

function run(rounds: number): { seconds: number; rows: number } {
  let rows = 0
  const start = process.cpuUsage()
  for (let round = 0; round < rounds; round++)
    for (const { name, trace, facts } of files) {
      const from = performance.now()
      rows += classifyTrace(trace, facts).actions.length
      best.set(name, Math.min(best.get(name) ?? Infinity, performance.now() - from))
    }
  const { user, system } = process.cpuUsage(start)
  return { seconds: (user + system) / 1e6, rows: rows / rounds }
}

run(10)
best.clear()
const { seconds, rows } = run(ROUNDS)
const slowest = [...best].sort((a, b) => b[1] - a[1]).slice(0, 3)
const perSecond = (count: number): string => Math.round((count * ROUNDS) / seconds).toLocaleString('en')

console.log(
  `${files.length} traces, ${transactions} transactions, ${rows} rows, ${ROUNDS} rounds; per second of CPU ` +
    'time, all threads',
)
console.log(`classified: ${perSecond(files.length)} traces/s, ${perSecond(transactions)} transactions/s`)
for (const [name, ms] of slowest) {
  const nodes = files.find((file) => file.name === name)?.trace.transactions.length
  console.log(`slow: ${name}  ${ms.toFixed(2)} ms (best of ${ROUNDS}), ${nodes} transactions`)
}

const all = files.map(({ trace, facts }) => classifyTrace(trace, facts).actions)
const from = performance.now()
for (let round = 0; round < ROUNDS; round++) for (const actions of all) rowToJson(actions)
console.log(
  `rows to JSON: ${Math.round((rows * ROUNDS) / ((performance.now() - from) / 1000)).toLocaleString('en')} ` +
    'rows/s',
)
