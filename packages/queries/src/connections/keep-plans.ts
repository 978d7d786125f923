import { createHash } from 'node:crypto'
import type { Database, Db } from '@shardwalk/db'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/** How a statement asks for it: `KEEP_PLAN`. */
const MARK = /^\s*\/\* keep plan \*\//
/** Every shape of a query is one text; more of them than this means that values got into texts. */
const MAX_NAMES = 200

/**
 * The query builder over a pool, naming marked statements so that each connection parses and plans them once:
 * planning takes longer than running for look-ups over partitioned tables. Transactions and all other
 * statements pass unchanged.
 *
 * The server plans a named statement again and again while it expects the values to matter; on the
 * connections of `kept` (`configurePlans`) it does not. A marked statement outside of a transaction runs
 * there.
 */
export function keepPlans(pool: pg.Pool, kept: pg.Pool = pool): Db {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    if (!MARK.test(text)) return undefined
    const known = names.get(text)
    if (known || names.size >= MAX_NAMES) return known
    // Of the text itself: all users of the pool give the same text the same name.
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

/** Compiling a statement takes longer than any of these statements should run. */
const NO_COMPILER = 'set jit = off'

/** Sets up connections that are opened from now on. `kept`: the first plan of a named statement stays. */
export function configurePlans(pool: pg.Pool, plans: 'kept' | 'by value'): pg.Pool {
  const settings = plans === 'kept' ? `${NO_COMPILER}; set plan_cache_mode = force_generic_plan` : NO_COMPILER
  pool.options.onConnect = async (client: pg.ClientBase) => {
    await client.query(settings)
  }
  return pool
}
