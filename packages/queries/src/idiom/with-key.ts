import { type RawBuilder, sql } from 'kysely'
import { openedAt } from './ranges.ts'

/**
 * Subquery: the row with the key `k` (account_id, lt). Unlike a join, which may read all partitions at once,
 * it looks each key up in the partition of its lt. `limit 1`, because otherwise the planner expects a row of
 * every partition for each key. `lts`: of all keys, if they are known. Index: primary key.
 */
export const withKey = (
  table: 'messages' | 'transactions',
  k: string,
  lts?: readonly bigint[],
): RawBuilder<unknown> => sql`
  select * from ${sql.table(table)} x
  where x.account_id = ${sql.ref(`${k}.account_id`)} and x.lt = ${sql.ref(`${k}.lt`)}
    and ${lts ? openedAt('x.lt', lts) : sql`true`} limit 1`
