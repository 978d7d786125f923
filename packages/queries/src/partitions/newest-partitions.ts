import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { sharedBy } from '../connections/keep-plans.ts'
import { ALL_LT, statement } from '../idiom/index.ts'

/** Raw: the catalogue. Transactions and messages have the same partitions. */
const START = statement<{ readonly start: bigint }>('first lt of the newest partitions', { start: 'int8' })

/** The newest partition may have been made ahead and be empty. */
const NEWEST = 2
/** Partitions are added every few days. Milliseconds. */
const KEPT_MS = 60_000

interface Known {
  readonly start: bigint
  readonly readAt: number
}

const known = new WeakMap<object, Known>()

/** The lt at which the newest two partitions begin, as of a minute ago at most. */
export async function newestPartitions(db: Db): Promise<bigint> {
  const key = sharedBy(db)
  const last = known.get(key)
  if (last && performance.now() - last.readAt < KEPT_MS) return last.start
  const rows = await START.rows(
    db,
    sql`
    select substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(''(\\d+)''')::int8 as start
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'transactions'::regclass order by 1 desc limit ${NEWEST}`,
  )
  const start = rows.at(-1)?.start ?? ALL_LT.from
  known.set(key, { start, readAt: performance.now() })
  return start
}

/**
 * Subquery: a row with the hash, which no other row has, given as an expression. Most hashes that are asked
 * for are new, so the newest partitions are searched before all others; both searches end with the first row.
 * `newest`: `newestPartitions`. Index: (hash).
 */
export const withHash = (
  table: 'messages' | 'transactions',
  hash: string,
  newest: bigint,
): RawBuilder<unknown> => {
  const part = (bound: RawBuilder<unknown>) =>
    sql`(select * from ${sql.table(table)} x where x.hash = ${sql.raw(hash)} and x.lt ${bound} limit 1)`
  return sql`select * from (${part(sql`>= ${newest}`)} union all ${part(sql`< ${newest}`)}) x limit 1`
}
