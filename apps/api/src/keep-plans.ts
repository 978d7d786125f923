import { createHash } from 'node:crypto'
import type { Database, Db } from '@shardwalk/db'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/** How a statement asks for it: `KEEP_PLAN` of the queries. */
const MARK = /^\s*\/\* keep plan \*\//
/** Every shape of a query is one text; more of them than this means that values got into texts. */
const MAX_NAMES = 200

/**
 * The query builder over a pool, naming marked statements so that each connection parses and plans them once: planning takes longer
 * than running for look-ups over partitioned tables. Transactions and everything else go through as they are.
 */
export function keepPlans(pool: pg.Pool): Db {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    if (!MARK.test(text)) return undefined
    const known = names.get(text)
    if (known || names.size >= MAX_NAMES) return known
    // Of the text itself: whoever shares the pool gives the same text the same name.
    const name = `kept_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
    names.set(text, name)
    return name
  }
  const wrap = (client: pg.PoolClient): PostgresPoolClient =>
    ({
      query: (text: string, values: unknown[]) => client.query({ text, values, name: nameOf(text) }),
      release: () => client.release(),
    }) as unknown as PostgresPoolClient
  const wrapped: PostgresPool = { connect: async () => wrap(await pool.connect()), end: () => pool.end() }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: wrapped }) })
}
