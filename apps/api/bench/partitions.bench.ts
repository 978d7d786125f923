// Which forms of requests cost more with the number of partitions? The same rows in few partitions and in
// many; pages that the statements touch, which do not depend on the machine. Then clients at once over many.
//   node --import tsx apps/api/bench/partitions.bench.ts [few, default 10] [many, default 150]
//     [copies of the recorded chain of 7,637 transactions, default 40]
// With FILTERS=off, hashes are searched in all partitions.
import { createDb, fillHashFilters, writeIngestStatus } from '@shardwalk/db'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import { repartition, sampleChainDatabase } from '@shardwalk/testkit'
import { classifyWithoutFacts } from '@shardwalk/testkit/refresh-chain'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import { PageCosts } from './page-costs.ts'
import { replicate } from './replicate.ts'
import { PATHS, readFacts } from './scale-paths.ts'

const [few = 10, many = 150, copies = 40] = process.argv.slice(2).map(Number)
/** More than this is too much. */
const TARGET = 1.3
const CLIENTS = 64

const scratch = await sampleChainDatabase()
await classifyWithoutFacts(scratch)
await replicate(scratch.url, copies - 1, undefined, { dense: true })
const moving = createDb({ url: scratch.url, statementTimeoutMs: 0 })
await writeIngestStatus(scratch.db, { head: 1, first: 1 })
const facts = await readFacts(scratch.pool)
const before = await pagesOf(few)
const after = await pagesOf(many)
const ratios = Object.keys(PATHS)
  .map((name) => ({ name, few: before[name]!, many: after[name]!, ratio: after[name]! / before[name]! }))
  .sort((a, b) => b.ratio - a.ratio)
for (const { name, ...pages } of ratios)
  console.log(
    `${name.padEnd(46)} ${String(pages.few).padStart(7)} pages in ${few}, ` +
      `${String(pages.many).padStart(7)} in ${many}: ${pages.ratio.toFixed(2)} times`,
  )
const good = ratios.filter(({ ratio }) => ratio <= TARGET).length
console.log(`${good} of ${ratios.length} forms at most ${TARGET} times the pages`)
const { requests, failures, seconds } = await askAtOnce()
console.log(
  `${CLIENTS} clients at once: ${requests} requests in ${seconds.toFixed(0)} s, ${failures.length} failed`,
)
for (const failure of failures) console.log(failure)
await moving.close()
await scratch.close()
process.exit(failures.length === 0 ? 0 : 1)

async function pagesOf(partitions: number): Promise<Readonly<Record<string, number>>> {
  await repartition(moving.pool, partitions)
  await moving.pool.query('delete from hash_filters')
  if (process.env['FILTERS'] !== 'off')
    await fillHashFilters(moving.pool, { signal: new AbortController().signal })
  // Moving rows has written the activity of accounts, whose former rows would count as pages.
  await moving.pool.query('vacuum full analyze hash_filters, hash_filter_bits, accounts')
  const costs = await PageCosts.open(scratch.url, facts)
  const pages: Record<string, number> = {}
  for (const [name, path] of Object.entries(PATHS))
    pages[name] = Math.max(1, (await costs.costliest(name, path)).pages)
  await costs.close()
  return pages
}

/** Each client asks for every form, beginning with another one, over as many connections as the API has. */
async function askAtOnce() {
  const pools = (['by value', 'kept'] as const).map((plans) =>
    configurePlans(createDb({ url: scratch.url, max: 16 }).pool, plans),
  )
  const server = await listen(createApi({ db: keepPlans(pools[0]!, pools[1]) }), {
    host: '127.0.0.1',
    port: 0,
  })
  const paths = Object.entries(PATHS)
  const failures: string[] = []
  const start = performance.now()
  const work = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let step = 0; step < paths.length; step++) {
      const [name, path] = paths[(client + step) % paths.length]!
      const reply = await fetch(`${server.url}/api/v3/${path(facts, client)}`)
      const text = await reply.text()
      if (reply.status !== 200) failures.push(`${name}: ${reply.status} ${text}`)
    }
  })
  await Promise.all(work)
  const seconds = (performance.now() - start) / 1000
  await server.close(0)
  for (const pool of pools) await pool.end()
  return { requests: CLIENTS * paths.length, failures, seconds }
}
