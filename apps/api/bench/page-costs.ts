import { createDb } from '@shardwalk/db'
import { configurePlans, keepPlans } from '@shardwalk/queries'
import type pg from 'pg'
import { createApi } from '../src/create-api.ts'
import { listen, type RunningServer } from '../src/server.ts'
import { type Facts, type Path, readFacts } from './scale-paths.ts'
import { type Cost, StatementCosts } from './statement-costs.ts'
import { recordStatements } from './statements.ts'

const ROUNDS = [3, 11, 17, 26, 38]

/** The API over a database, and its statements executed once more by EXPLAIN. */
export class PageCosts {
  private readonly recorder = recordStatements()

  private constructor(
    private readonly facts: Facts,
    private readonly server: RunningServer,
    private readonly pools: readonly pg.Pool[],
    private readonly costs: StatementCosts,
  ) {}

  /** `facts`: values to ask for; default: those of the database. */
  static async open(url: string, facts?: Facts): Promise<PageCosts> {
    const open = (mode: 'kept' | 'by value') =>
      configurePlans(createDb({ url, max: 4, statementTimeoutMs: 60_000 }).pool, mode)
    const pools = [open('by value'), open('kept')] as const
    const server = await listen(createApi({ db: keepPlans(...pools) }), { host: '127.0.0.1', port: 0 })
    return new PageCosts(facts ?? (await readFacts(pools[0])), server, pools, await StatementCosts.open(url))
  }

  /** The most expensive of several requests of this form. `name` is for messages. */
  async costliest(name: string, path: Path, { plans = false } = {}): Promise<Cost> {
    let costliest: Cost | undefined
    for (const round of ROUNDS) {
      const ask = async () => {
        const reply = await fetch(`${this.server.url}/api/v3/${path(this.facts, round)}`)
        await reply.text()
        if (reply.status !== 200) console.log(`${name}: ${reply.status}`)
      }
      // What the API remembers of accounts depends on what was asked before, so it remembers all of this.
      await ask()
      const statements = await this.recorder.during(ask)
      const cost = await this.costs.of(statements, { plans })
      if (!costliest || cost.pages >= costliest.pages) costliest = cost
    }
    return costliest!
  }

  async close(): Promise<void> {
    this.recorder.end()
    await this.server.close(0)
    await this.costs.close()
    for (const pool of this.pools) await pool.end()
  }
}
