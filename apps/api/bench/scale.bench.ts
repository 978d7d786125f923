// Measures p50 and p99 of every list endpoint of v3, one request at a time, on databases created by
// large-database.ts.
//   node --import tsx apps/api/bench/scale.bench.ts <rounds, default 100> <URL> [<URL of a larger one>]
// Each round requests every path with other accounts, times and hashes, after 20 rounds of warm-up. The API
// runs in this process, so that no HTTP client is measured. Two databases are asked in turn, so that a slow
// phase of the machine hits both; the last columns are the ratios of their p50 and p99.
import { createDb } from '@shardwalk/db'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import { RequestTimes } from './request-times.ts'
import { PATHS, readFacts } from './scale-paths.ts'

/** The p50 of the larger database should be at most so many times that of the other. */
const TARGET = 1.5

const rounds = Number(process.argv[2] ?? 100)
const only = process.env['ONLY']
const apis: Awaited<ReturnType<typeof open>>[] = []
for (const url of process.argv.slice(3)) apis.push(await open(url))

const ratios: number[] = []
for (const [name, path] of Object.entries(PATHS)) {
  if (only && !name.includes(only)) continue
  const times = apis.map(({ base, facts }) => new RequestTimes((i) => `${base}/api/v3/${path(facts, i)}`))
  for (let i = -Math.min(20, rounds); i < rounds; i++)
    for (const one of times) await (i < 0 ? one.warmUp(i + 10_000) : one.ask(i))
  console.log(`${name.padEnd(46)} ${times.join('  |  ')}${compared(times)}`)
}
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
  return `  x ${p50!.toFixed(2)}, ${p99!.toFixed(2)}${second.at(0.99) > 50 ? '  OVER 50 ms' : ''}`
}
