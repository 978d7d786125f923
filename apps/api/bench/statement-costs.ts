import pg from 'pg'
import { literal, type Statement } from './statements.ts'

/** What a request costs the database server. */
export interface Cost {
  readonly statements: number
  /** Pages that its statements touch, cached or not: the same on every machine. */
  readonly pages: number
  /** Scans of partitions that start with a statement, even if they read nothing; 20 µs each. */
  readonly opened: number
  /** Execution time without planning. Milliseconds. */
  readonly ms: number
  /** Statements and their plans, if wanted. */
  readonly plan: readonly string[]
}

/** Statements of requests, executed once more by EXPLAIN. */
export class StatementCosts {
  private readonly prepared = new Map<string, string>()

  private constructor(private readonly clients: { readonly byValue: pg.Client; readonly kept: pg.Client }) {}

  static async open(url: string): Promise<StatementCosts> {
    return new StatementCosts({
      byValue: await connect(url, 'force_custom_plan'),
      kept: await connect(url, 'force_generic_plan'),
    })
  }

  async of(statements: readonly Statement[], { plans = false } = {}): Promise<Cost> {
    let [pages, opened, ms] = [0, 0, 0]
    const plan: string[] = []
    for (const statement of statements) {
      const explained = await this.explain(statement, 'format json')
      const { Plan, 'Execution Time': time } = explained[0][0]
      pages += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
      opened += openedBy(Plan)
      ms += time
      if (plans) plan.push(statement.text, ...(await this.explain(statement, 'format text')).map(String))
    }
    return { statements: statements.length, pages, opened, ms, plan }
  }

  async close(): Promise<void> {
    for (const client of Object.values(this.clients)) await client.end()
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

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

function openedBy({ 'Relation Name': name = '', Plans = [] }: PlanNode): number {
  const others = Plans.reduce((sum, node) => sum + openedBy(node), 0)
  return /^(transactions|messages)_lt_/.test(name) ? others + 1 : others
}

async function connect(url: string, plans: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set jit = off; set plan_cache_mode = ${plans}`)
  return client
}
