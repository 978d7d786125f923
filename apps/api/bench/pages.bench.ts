// Measures what every list endpoint of v3 costs the database server: statements, pages read, execution time
// without planning. The number of pages does not depend on the load of the machine, so two databases can be
// compared.
//   node --import tsx apps/api/bench/pages.bench.ts <URL> [part of the names] [plans]
// The URL is that of a database created by large-database.ts. Each path is requested with several values, and
// the most expensive one counts. `plans` prints the plans of its statements.
import { createDb } from '@shardwalk/db'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import pg from 'pg'
import { createApi } from '../src/create-api.ts'
import { listen } from '../src/server.ts'
import { PATHS, readFacts } from './scale-paths.ts'
import { literal, recordStatements, type Statement } from './statements.ts'

const [url, filter = '', plans] = process.argv.slice(2)
if (!url) throw new Error('usage: pages.bench.ts <URL> [part of the names] [plans]')
const ROUNDS = [3, 11, 17, 26, 38]

const open = (mode: 'kept' | 'by value') =>
  configurePlans(createDb({ url, max: 4, statementTimeoutMs: 60_000 }).pool, mode)
const pool = open('by value')
const facts = await readFacts(pool)
const server = await listen(createApi({ db: keepPlans(pool, open('kept')) }), { host: '127.0.0.1', port: 0 })
const recorder = recordStatements()
const [byValue, kept] = [
  await connect('set jit = off; set plan_cache_mode = force_custom_plan'),
  await connect('set jit = off; set plan_cache_mode = force_generic_plan'),
]
const prepared = new Map<string, string>()

for (const [name, path] of Object.entries(PATHS)) {
  if (!name.includes(filter)) continue
  let dearest: Cost | undefined
  for (const round of ROUNDS) {
    const statements = await recorder.during(async () => {
      const reply = await fetch(`${server.url}/api/v3/${path(facts, round)}`)
      await reply.text()
      if (reply.status !== 200) console.log(`${name}: ${reply.status}`)
    })
    const cost = await costOf(statements)
    if (!dearest || cost.pages >= dearest.pages) dearest = cost
  }
  const { statements, pages, ms, plan } = dearest!
  console.log(
    `${name.padEnd(46)} ${String(statements).padStart(2)} statements ${String(pages).padStart(7)} pages ` +
      `${ms.toFixed(1).padStart(7)} ms`,
  )
  if (plans) console.log(plan.join('\n'))
}
process.exit()

interface Cost {
  readonly statements: number
  readonly pages: number
  readonly ms: number
  readonly plan: readonly string[]
}

async function connect(settings: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(settings)
  return client
}

async function costOf(statements: readonly Statement[]): Promise<Cost> {
  let [pages, ms] = [0, 0]
  const plan: string[] = []
  for (const statement of statements) {
    const explained = await explain(statement, 'format json')
    const { Plan, 'Execution Time': time } = explained[0][0]
    pages += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
    ms += time
    if (plans) plan.push(statement.text, ...(await explain(statement, 'format text')).map(String))
  }
  return { statements: statements.length, pages, ms, plan }
}

/** Executes as the API does: marked statements use one plan for all values. */
// biome-ignore lint/suspicious/noExplicitAny: plans are trees of anything
async function explain({ text, values }: Statement, format: string): Promise<any[]> {
  const client = text.includes('/* keep plan */') ? kept : byValue
  let name = prepared.get(text)
  if (!name) {
    name = `explained_${prepared.size}`
    prepared.set(text, name)
    await client.query(`prepare ${name} as ${text}`)
  }
  const list = values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
  const { rows } = await client.query({
    text: `explain (analyze, timing off, buffers, ${format}) execute ${name}${list}`,
    rowMode: 'array',
  })
  return rows.map((row) => row[0])
}
