import { type RawBuilder, sql } from 'kysely'

/**
 * Subquery: the row with the key `k` (account_id, lt). Unlike a join, which may read all partitions at once,
 * it looks each key up in the partition of its lt. `limit 1`, because otherwise the planner expects a row of
 * every partition for each key. Index: primary key.
 */
export const withKey = (table: 'messages' | 'transactions', k: string, columns = '*'): RawBuilder<unknown> =>
  sql.raw(`select ${columns} from ${table} x where x.account_id = ${k}.account_id and x.lt = ${k}.lt limit 1`)
