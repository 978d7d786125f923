import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { all, type Condition, statement } from '../idiom/index.ts'
import { ACCOUNT_UNINDEXED } from '../transactions/index.ts'
import { SKEW_SECONDS, type TraceOrder } from './account-trace-order.ts'

/** The condition of the index of long traces. */
const LONG: Condition = sql.raw('(r.end_lt - r.start_lt > 100000000 or r.end_utime - r.start_utime > 120)')

/** Raw: one lookup per trace. Index: traces (end_lt) of long ones, transactions (piece). */
const LONG_TRACES = statement<{ readonly trace_id: Buffer }>('long traces of an account', {
  trace_id: 'bytea',
})

/** The account's long traces that end before `end` in this order, or all of them if it is null. */
export async function longTraces(
  db: Db,
  account: bigint,
  by: {
    readonly order: TraceOrder
    readonly conditions: readonly Condition[]
    readonly end: bigint | null
    readonly startedBy: bigint
  },
): Promise<Buffer[]> {
  const { order, end } = by
  const near = order.sort === 'desc' ? sql`${order.end} >= ${end}::int8` : sql`${order.end} <= ${end}::int8`
  const wanted = [
    ...by.conditions,
    LONG,
    sql`${order.start} <= ${by.startedBy}::int8 + ${SKEW_SECONDS}`,
    ...(end === null ? [] : [near]),
  ]
  // One lookup per trace; with a plain join the planner would read all transactions of the account.
  const rows = await LONG_TRACES.rows(
    db,
    sql`
    select r.trace_id from traces r cross join lateral (
      select from pieces_of_trace(r.piece) p(piece) join transactions t on t.piece = p.piece
      where ${ACCOUNT_UNINDEXED} = ${account} and t.lt between r.start_lt and r.end_lt limit 1
    ) own where ${all(wanted)}`,
  )
  return rows.map((row) => row.trace_id)
}
