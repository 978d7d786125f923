import { createDb } from '@shardwalk/db'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import pg from 'pg'
import { createApi } from '../src/create-api.ts'
import { listen, type RunningServer } from '../src/server.ts'
import { type Facts, PATHS, readFacts } from './scale-paths.ts'
import { literal, recordStatements, type Statement } from './statements.ts'

/** What a request costs the database server. */
export interface Cost {
  readonly statements: number
  /** Pages that its statements touch, cached or not: the same on every machine. */
  readonly pages: number
  /** Execution time without planning. Milliseconds. */
  readonly ms: number
  /** Statements and their plans, if wanted. */
  readonly plan: readonly string[]
}

const ROUNDS = [3, 11, 17, 26, 38]

/** The API over a database, and its statements executed once more by EXPLAIN. */
export class PageCosts {
  private readonly prepared = new Map<string, string>()
  private readonly recorder = recordStatements()

  private constructor(
    private readonly facts: Facts,
    private readonly server: RunningServer,
    private readonly pools: readonly pg.Pool[],
    private readonly clients: { readonly byValue: pg.Client; readonly kept: pg.Client },
  ) {}

  /** `facts`: values to ask for; default: those of the database. */
  static async open(url: string, facts?: Facts): Promise<PageCosts> {
    const open = (mode: 'kept' | 'by value') =>
      configurePlans(createDb({ url, max: 4, statementTimeoutMs: 60_000 }).pool, mode)
    const pools = [open('by value'), open('kept')] as const
    const server = await listen(createApi({ db: keepPlans(...pools) }), { host: '127.0.0.1', port: 0 })
    return new PageCosts(facts ?? (await readFacts(pools[0])), server, pools, {
      byValue: await connect(url, 'force_custom_plan'),
      kept: await connect(url, 'force_generic_plan'),
    })
  }

  /** The most expensive of several requests of this form, which are named in `PATHS`. */
  async dearest(name: string, { plans = false } = {}): Promise<Cost> {
    let dearest: Cost | undefined
    for (const round of ROUNDS) {
      const statements = await this.recorder.during(async () => {
        const reply = await fetch(`${this.server.url}/api/v3/${PATHS[name]!(this.facts, round)}`)
        await reply.text()
        if (reply.status !== 200) console.log(`${name}: ${reply.status}`)
      })
      const cost = await this.costOf(statements, plans)
      if (!dearest || cost.pages >= dearest.pages) dearest = cost
    }
    return dearest!
  }

  async close(): Promise<void> {
    this.recorder.end()
    await this.server.close(0)
    for (const client of Object.values(this.clients)) await client.end()
    for (const pool of this.pools) await pool.end()
  }

  private async costOf(statements: readonly Statement[], plans: boolean): Promise<Cost> {
    let [pages, ms] = [0, 0]
    const plan: string[] = []
    for (const statement of statements) {
      const explained = await this.explain(statement, 'format json')
      const { Plan, 'Execution Time': time } = explained[0][0]
      pages += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
      ms += time
      if (plans) plan.push(statement.text, ...(await this.explain(statement, 'format text')).map(String))
    }
    return { statements: statements.length, pages, ms, plan }
  }

  /** Executes as the API does: marked statements use one plan for all values. */
  // biome-ignore lint/suspicious/noExplicitAny: plans are trees of anything
  private async explain({ text, values }: Statement, format: string): Promise<any[]> {
    const client = text.includes('/* keep plan */') ? this.clients.kept : this.clients.byValue
    let name = this.prepared.get(text)
    if (!name) {
      name = `explained_${this.prepared.size}`
      this.prepared.set(text, name)
      await client.query(`prepare ${name} as ${text}`)
    }
    const list = values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
    const { rows } = await client.query({
      text: `explain (analyze, timing off, buffers, ${format}) execute ${name}${list}`,
      rowMode: 'array',
    })
    return rows.map((row) => row[0])
  }
}

async function connect(url: string, plans: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set jit = off; set plan_cache_mode = ${plans}`)
  return client
}
