// Which forms of requests become dearer with the number of partitions? The same rows in few partitions and in
// many; pages that the statements touch, which do not depend on the machine.
//   node --import tsx apps/api/bench/partitions.bench.ts [few, default 10] [many, default 150]

import { repartition } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { PageCosts } from './page-costs.ts'
import { type Facts, PATHS, readFacts } from './scale-paths.ts'

const [few = 10, many = 150] = process.argv.slice(2).map(Number)
/** Dearer than this is too dear. */
const TARGET = 1.3

const scratch = await classifiedChain()
const found = await readFacts(scratch.pool)
const facts: Facts = { ...found, jettons: found.jettons.length > 0 ? found.jettons : found.busy }
const before = await pagesOf(few)
const after = await pagesOf(many)
const ratios = Object.keys(PATHS)
  .map((name) => ({ name, few: before[name]!, many: after[name]!, ratio: after[name]! / before[name]! }))
  .sort((a, b) => b.ratio - a.ratio)
for (const { name, ...pages } of ratios.filter(({ ratio }) => ratio > TARGET))
  console.log(
    `${name.padEnd(46)} ${String(pages.few).padStart(7)} pages in ${few}, ` +
      `${String(pages.many).padStart(7)} in ${many}: ${pages.ratio.toFixed(1)} times`,
  )
const good = ratios.filter(({ ratio }) => ratio <= TARGET).length
console.log(`${good} of ${ratios.length} forms at most ${TARGET} times as dear`)
await scratch.close()
process.exit()

async function pagesOf(partitions: number): Promise<Readonly<Record<string, number>>> {
  await repartition(scratch.pool, partitions)
  const costs = await PageCosts.open(scratch.url, facts)
  const pages: Record<string, number> = {}
  for (const [name, path] of Object.entries(PATHS))
    pages[name] = Math.max(1, (await costs.dearest(name, path)).pages)
  await costs.close()
  return pages
}
