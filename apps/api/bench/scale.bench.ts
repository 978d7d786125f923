// Measures p50 and p99 of every list endpoint of v3, one request at a time, on databases created by
// large-database.ts.
//   node --import tsx apps/api/bench/scale.bench.ts <rounds, default 100> <URL> [<URL of a larger one>]
// Each round requests every path with other accounts, times and hashes, after 20 rounds of warm-up. The API
// runs in this process, so that no HTTP client is measured. With two databases the last column is the ratio
// of their p99.
import { createDb } from '@shardwalk/db'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import { PATHS, readFacts } from './scale-paths.ts'

const rounds = Number(process.argv[2] ?? 100)
const only = process.env['ONLY']
const results: Map<string, string>[] = []
const p99s: Map<string, number>[] = []
for (const url of process.argv.slice(3)) await measure(url)

for (const name of results[0]?.keys() ?? []) {
  const [first, second] = p99s.map((one) => one.get(name) ?? Number.NaN)
  const ratio =
    second === undefined ? '' : `  x ${(second / first!).toFixed(2)}${second > 50 ? '  OVER 50 ms' : ''}`
  console.log(`${name.padEnd(46)} ${results.map((one) => one.get(name)).join('  |  ')}${ratio}`)
}
process.exit()

async function measure(url: string): Promise<void> {
  const open = (plans: 'kept' | 'by value') =>
    configurePlans(createDb({ url, max: 5, statementTimeoutMs: 3000 }).pool, plans)
  const pool = open('by value')
  const facts = await readFacts(pool)
  console.error(`${facts.transactions} transactions`)
  const server = await listen(createApi({ db: keepPlans(pool, open('kept')) }), {
    host: '127.0.0.1',
    port: 0,
  })
  const found = new Map<string, string>()
  const p99 = new Map<string, number>()
  for (const [name, path] of Object.entries(PATHS)) {
    if (only && !name.includes(only)) continue
    const { text, late } = await time(server.url, (i) => path(facts, i))
    found.set(name, text)
    p99.set(name, late)
    console.error(`${name.padEnd(46)} ${text}`)
  }
  results.push(found)
  p99s.push(p99)
  await server.close(100)
}

async function time(base: string, path: (i: number) => string): Promise<{ text: string; late: number }> {
  const times: number[] = []
  let failed = 0
  let bytes = 0
  for (let i = -Math.min(20, rounds); i < rounds; i++) {
    const start = performance.now()
    const reply = await fetch(`${base}/api/v3/${path(i < 0 ? i + 10_000 : i)}`)
    bytes = (await reply.text()).length
    if (reply.status !== 200) failed++
    if (i >= 0) times.push(performance.now() - start)
    // A path that always times out needs no hundred rounds.
    if (times.length >= 5 && times.every((one) => one > 1000)) break
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  const text =
    `p50 ${at(0.5).toFixed(1).padStart(7)} p99 ${at(0.99).toFixed(1).padStart(7)} ms ` +
    `${String(bytes).padStart(7)} B`
  return { text: failed > 0 ? `${text} ${failed} failed` : text, late: at(0.99) }
}
