import { type RawBuilder, sql } from 'kysely'
import { ALL_LT, type LtRange, openedWithin } from './ranges.ts'

/**
 * Subquery: the row with the key `k` (account_id, lt). Unlike a join, which may read all partitions at once,
 * it looks each key up in the partition of its lt. `limit 1`, because otherwise the planner expects a row of
 * every partition for each key. `range`: of all keys, if it is known. Index: primary key.
 */
export const withKey = (
  table: 'messages' | 'transactions',
  k: string,
  range: LtRange = ALL_LT,
): RawBuilder<unknown> => sql`
  select * from ${sql.table(table)} x
  where x.account_id = ${sql.ref(`${k}.account_id`)} and x.lt = ${sql.ref(`${k}.lt`)}
    and ${openedWithin('x.lt', range)} limit 1`
