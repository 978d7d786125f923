// Measures p50 and p99 of every list endpoint of v3, one request at a time, on databases created by
// large-database.ts.
//   node --import tsx apps/api/bench/scale.bench.ts <rounds, default 100> <URL> [<URL of a larger one>]
// Each round requests every path with other accounts, times and hashes, after 20 rounds of warm-up. The API
// runs in this process, so that no HTTP client is measured. Two databases are asked in turn, so that a slow
// phase of the machine hits both; the last columns are the ratios of their p50 and p99. The size is that of
// the largest reply.
// With ONLY=<part of the names>, only these forms. With BEST_OF=3, each request is asked three times and the
// fastest counts, so that neither other work on the machine nor the disk is measured.
import { createDb } from '@shardwalk/db'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import { RequestTimes } from './request-times.ts'
import { PATHS, readFacts } from './scale-paths.ts'

/** The p99 of the last database, of replies of at most 1 MB. Milliseconds. */
const P99 = 50
/** The p50 of the larger database should be at most so many times that of the other. */
const TARGET = 1.5

const rounds = Number(process.argv[2] ?? 100)
const only = process.env['ONLY']
const bestOf = Number(process.env['BEST_OF'] ?? 1)
const apis: Awaited<ReturnType<typeof open>>[] = []
for (const url of process.argv.slice(3)) apis.push(await open(url))

const ratios: number[] = []
const p99s: number[] = []
for (const [name, path] of Object.entries(PATHS)) {
  if (only && !name.includes(only)) continue
  const times = apis.map(({ base, facts }) => new RequestTimes((i) => `${base}/api/v3/${path(facts, i)}`))
  for (let i = -Math.min(20, rounds); i < rounds; i++)
    for (const one of times) await (i < 0 ? one.warmUp(i + 10_000) : one.ask(i, bestOf))
  const p99 = times.at(-1)!.atOfSmall(0.99)
  if (p99 !== undefined) p99s.push(p99)
  const slow = p99 !== undefined && p99 > P99 ? `  OVER ${P99} ms: ${p99.toFixed(1)}` : ''
  console.log(`${name.padEnd(46)} ${times.join('  |  ')}${compared(times)}${slow}`)
}
console.log(`${p99s.filter((one) => one <= P99).length} of ${p99s.length} p99 at most ${P99} ms`)
if (ratios.length > 0)
  console.log(
    `${ratios.filter((one) => one <= TARGET).length} of ${ratios.length} p50 at most ${TARGET} times`,
  )
process.exit()

async function open(url: string) {
  const pool = (plans: 'kept' | 'by value') =>
    configurePlans(createDb({ url, max: 5, statementTimeoutMs: 3000 }).pool, plans)
  const byValue = pool('by value')
  const facts = await readFacts(byValue)
  console.error(`${facts.transactions} transactions`)
  const api = createApi({ db: keepPlans(byValue, pool('kept')) })
  const { url: base } = await listen(api, { host: '127.0.0.1', port: 0 })
  return { base, facts }
}

function compared([first, second]: readonly RequestTimes[]): string {
  if (!first || !second) return ''
  const [p50, p99] = [0.5, 0.99].map((share) => second.at(share) / first.at(share))
  ratios.push(p50!)
  return `  x ${p50!.toFixed(2)}, ${p99!.toFixed(2)}`
}
