import { createHash } from 'node:crypto'
import type { Database, Db } from '@shardwalk/db'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/** A pool, or what chooses one. */
type Connecting = Pick<pg.Pool, 'end'> & { connect(): Promise<pg.PoolClient> }

/** Marks a statement whose plan is to be kept: `KEEP_PLAN`. */
const MARK = /^\s*\/\* keep plan \*\//
/** Every shape of a query has one text. More texts than this mean that values are spliced into them. */
const MAX_NAMES = 200

/**
 * A pool for the query builder that names marked statements, so that each connection parses and plans them
 * once: for lookups in partitioned tables planning takes longer than execution. Transactions and all other
 * statements pass unchanged.
 *
 * PostgreSQL keeps replanning a named statement while it expects custom plans to be cheaper; connections of
 * `kept` (see `configurePlans`) use the generic plan. Marked statements outside of transactions run there.
 */
export function keepPlans(pool: Connecting, kept: Connecting = pool): Db {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    if (!MARK.test(text)) return undefined
    const known = names.get(text)
    if (known || names.size >= MAX_NAMES) return known
    // Derived from the text, so that all users of the pool give it the same name.
    const name = `kept_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
    names.set(text, name)
    return name
  }
  const connect = (): PostgresPoolClient => {
    let client: pg.PoolClient | undefined
    return {
      query: async (text: string, values: unknown[]) => {
        const name = nameOf(text)
        client ??= await (name === undefined ? pool : kept).connect()
        return client.query({ text, values, name })
      },
      release: () => client?.release(),
    } as unknown as PostgresPoolClient
  }
  const wrapped: PostgresPool = { connect: async () => connect(), end: () => pool.end() }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: wrapped }) })
}

/** Just-in-time compilation takes longer than any of these statements should run. */
const NO_COMPILER = 'set jit = off'

/** Configures connections opened from now on. `kept`: they use the generic plan of a named statement. */
export function configurePlans(pool: pg.Pool, plans: 'kept' | 'by value'): pg.Pool {
  const settings = plans === 'kept' ? `${NO_COMPILER}; set plan_cache_mode = force_generic_plan` : NO_COMPILER
  pool.options.onConnect = async (client: pg.ClientBase) => {
    await client.query(settings)
  }
  return pool
}
