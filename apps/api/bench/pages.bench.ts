// Measures what every list endpoint of v3 costs the database server: statements, pages read, scans of
// partitions opened, execution time without planning; and every form of `/actions`. The numbers of pages and
// scans do not depend on the load of the machine, so two databases can be compared.
//   node --import tsx apps/api/bench/pages.bench.ts <URL> [part of the names] [plans]
// The URL is that of a database created by large-database.ts. Each path is requested with several values, and
// the most expensive one counts. `plans` prints the plans of its statements.
import { ACTION_PATHS } from './action-paths.ts'
import { PageCosts } from './page-costs.ts'
import { PATHS } from './scale-paths.ts'

const [url, filter = '', plans] = process.argv.slice(2)
if (!url) throw new Error('usage: pages.bench.ts <URL> [part of the names] [plans]')

const costs = await PageCosts.open(url)
for (const [name, path] of Object.entries({ ...PATHS, ...ACTION_PATHS })) {
  if (!name.includes(filter)) continue
  const { statements, pages, opened, ms, plan } = await costs.costliest(name, path, {
    plans: plans !== undefined,
  })
  console.log(
    `${name.padEnd(52)} ${String(statements).padStart(2)} statements ${String(pages).padStart(7)} pages ` +
      `${String(opened).padStart(5)} opened ${ms.toFixed(1).padStart(7)} ms`,
  )
  if (plans) console.log(plan.join('\n'))
}
process.exit()
