import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { all, type Condition, direction, KEEP_PLAN, type LtRange, statement } from '../idiom/index.ts'
import { alongActivity, withinActive } from '../partitions/index.ts'
import type { TraceOrder } from './account-trace-order.ts'

/** A trace that has transactions of the account. */
export interface FoundTrace {
  readonly id: Buffer
  /** In the order of the list. */
  readonly end: bigint
}

/** What one look along the transactions has shown. */
export interface Walked {
  readonly traces: readonly FoundTrace[]
  readonly transactions: number
  /** Position in the order and lt of the last scanned transaction; null when there is none. */
  readonly last: bigint | null
  readonly lt: bigint | null
}

/** Raw: one round trip for scan and page, with a kept plan. Index: primary keys. */
const WALKED = statement<{
  readonly trace_id: Buffer | null
  readonly end: bigint | null
  readonly transactions: bigint
  readonly last: bigint | null
  readonly lt: bigint | null
}>('traces found along the transactions of an account', {
  trace_id: 'bytea',
  end: 'int8',
  transactions: 'int8',
  last: 'int8',
  lt: 'int8',
})

/** The first traces among those of the account's next transactions. */
export async function walk(
  db: Db,
  account: bigint,
  by: {
    readonly order: TraceOrder
    readonly range: LtRange
    readonly conditions: readonly Condition[]
    readonly needed: number
    readonly look: number
  },
): Promise<Walked> {
  const { order, look, needed } = by
  const dir = direction(order.sort)
  const own = alongActivity(
    { account, sort: order.sort, limit: look },
    sql`select t.piece, t.lt, ${order.at}::int8 as at from transactions t
      where t.account_id = ${account} and ${withinActive('t.lt', by.range)} and ${order.within}
      order by t.lt ${dir} limit ${look}`,
  )
  const last = order.sort === 'desc' ? sql`min` : sql`max`
  const rows = await WALKED.rows(
    db,
    sql`
    ${KEEP_PLAN} with own as materialized (${own}), page as (
      select r.trace_id, ${order.end}::int8 as end from (
        select distinct root_of_piece(piece) as root from (select distinct piece from own) pieces
      ) o join traces r on r.piece = o.root where ${all(by.conditions)}
      order by ${order.end} ${dir}, r.trace_id ${dir} limit ${needed}
    )
    select page.trace_id, page.end, seen.transactions, seen.last, seen.lt
    from (select count(*) as transactions, ${last}(at) as last, ${last}(lt) as lt from own) seen
      left join page on true`,
  )
  const traces = rows.flatMap(({ trace_id: id, end }) => (id ? [{ id, end: end! }] : []))
  const { transactions, last: at, lt } = rows[0]!
  return { traces, transactions: Number(transactions), last: at, lt }
}
