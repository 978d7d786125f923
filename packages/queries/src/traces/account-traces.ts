import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { ltRangeOfTime } from '../blocks/index.ts'
import {
  ALL_LT,
  all,
  type Condition,
  direction,
  earlier,
  hasTime,
  KEEP_PLAN,
  type LtRange,
  later,
  statement,
} from '../idiom/index.ts'
import { alongActivity, withinActive } from '../partitions/index.ts'
import { ACCOUNT_UNINDEXED, LONG_LT } from '../transactions/index.ts'
import type { TraceScan, TraceSlice } from './trace-filter.ts'

/** Traces that last longer than this, or than `LONG_LT`, are rare and have an index of their own. */
const LONG_SECONDS = 120
/**
 * A transaction may have an earlier time than the root of its trace, because blocks of different shards are
 * not in the same order. Seconds.
 */
const SKEW_SECONDS = 60
const LONG: Condition = sql.raw('(r.end_lt - r.start_lt > 100000000 or r.end_utime - r.start_utime > 120)')

/** Number of the account's transactions examined first; each further round examines four times as many. */
const FIRST_LOOK = 256

/**
 * Ids of the account's traces that contain the page; `conditions` on `r` are those of the page. The account's
 * transactions are scanned in the order of the list. A trace that is not long ends near all its transactions,
 * so once the page ends far enough before the last scanned transaction, only long traces can still belong in
 * it. Index: transactions primary key, traces primary key, traces (end_lt) of long ones, transactions
 * (piece).
 */
export async function tracesOfAccount(
  db: Db,
  account: bigint,
  scan: TraceScan,
  slice: TraceSlice,
  conditions: readonly Condition[],
): Promise<Buffer[]> {
  const order = await orderOf(db, scan, slice)
  const needed = slice.limit + slice.offset
  for (let look = Math.max(FIRST_LOOK, needed); ; look *= 4) {
    const found = await walk(db, account, { order, slice, conditions, needed, look })
    const complete = found.transactions < look
    if (complete && order.fromBeginning) return found.ids
    if (!complete && !(found.last !== null && found.end !== null && order.isBeyond(found.last, found.end)))
      continue
    const startedBy = order.startedBy ?? found.last!
    return [
      ...found.ids,
      ...(await longTraces(db, account, { order, conditions, end: complete ? null : found.end, startedBy })),
    ]
  }
}

/** The order of the list, by lt or by time, as columns of transactions and traces. */
interface Order {
  /** Columns of transactions and of traces. */
  readonly at: Condition
  readonly start: Condition
  readonly end: Condition
  /** Range of the scan over transactions, and a bound on their time. */
  readonly lt: LtRange
  readonly within: Condition
  /**
   * The scan starts before the account's first transaction in this order, so that it includes the account's
   * long traces.
   */
  readonly fromBeginning: boolean
  /**
   * Long traces of transactions before the scan have started by then; undefined: by the last transaction of
   * the scan.
   */
  readonly startedBy?: bigint
  /**
   * True if traces of transactions after `last` cannot end before `end` in this order, unless they are long.
   */
  readonly isBeyond: (last: bigint, end: bigint) => boolean
  readonly sort: TraceSlice['sort']
}

async function orderOf(db: Db, { lt, time }: TraceScan, { sort, after }: TraceSlice): Promise<Order> {
  const byTime = hasTime(time)
  const slack = byTime ? BigInt(LONG_SECONDS + SKEW_SECONDS) : LONG_LT
  const position = after && (byTime ? BigInt(after.end_utime) : after.end_lt)
  const columns = byTime
    ? { at: sql`t.now`, start: sql`r.start_utime`, end: sql`r.end_utime` }
    : { at: sql`t.lt`, start: sql`r.start_lt`, end: sql`r.end_lt` }
  if (sort === 'desc') {
    // A transaction is never later than the end of its trace.
    const ends = byTime ? (await ltRangeOfTime(db, { to: time.to })).to : lt.to
    const to = earlier(ends, lt.to)
    return {
      ...columns,
      sort,
      lt: { from: ALL_LT.from, to: byTime ? to : earlier(to, position ?? to) },
      within: byTime && position !== undefined ? sql`t.now <= ${position}::int8` : sql`true`,
      fromBeginning: true,
      isBeyond: (last, end) => last + slack < end,
    }
  }
  const least = byTime ? BigInt(time.from ?? 0) : lt.from
  const start = later(position ?? least, least) - slack
  const begins = byTime && start > 0n ? (await ltRangeOfTime(db, { from: Number(start) })).from : start
  return {
    ...columns,
    sort,
    lt: { from: begins, to: ALL_LT.to },
    within: byTime ? sql`t.now >= ${start}::int8` : sql`true`,
    fromBeginning: start <= 0n,
    startedBy: start,
    isBeyond: (last, end) => last > end,
  }
}

interface Walked {
  readonly ids: Buffer[]
  readonly transactions: number
  /**
   * Position of the last scanned transaction, and end of the page's last trace; null when there are too few.
   */
  readonly last: bigint | null
  readonly end: bigint | null
}

/** Raw: one round trip for scan and page, with a kept plan. Index: primary keys. */
const WALKED = statement<{
  readonly trace_id: Buffer | null
  readonly end: bigint | null
  readonly transactions: bigint
  readonly last: bigint | null
}>('traces met along the transactions of an account', {
  trace_id: 'bytea',
  end: 'int8',
  transactions: 'int8',
  last: 'int8',
})

async function walk(
  db: Db,
  account: bigint,
  by: {
    readonly order: Order
    readonly slice: TraceSlice
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
      where t.account_id = ${account} and ${withinActive(sql`t.lt`, order.lt)} and ${order.within}
      order by t.lt ${dir} limit ${look}`,
  )
  const last = order.sort === 'desc' ? sql`min(at)` : sql`max(at)`
  const rows = await WALKED.rows(
    db,
    sql`
    ${KEEP_PLAN} with own as materialized (${own}), page as (
      select r.trace_id, ${order.end}::int8 as end from (
        select distinct root_of_piece(piece) as root from (select distinct piece from own) pieces
      ) o join traces r on r.piece = o.root where ${all(by.conditions)}
      order by ${order.end} ${dir}, r.trace_id ${dir} limit ${needed}
    )
    select page.trace_id, page.end, seen.transactions, seen.last
    from (select count(*) as transactions, ${last} as last from own) seen left join page on true
    order by page.end ${dir}, page.trace_id ${dir}`,
  )
  const ids = rows.flatMap((row) => (row.trace_id ? [row.trace_id] : []))
  const end = ids.length === needed ? rows.at(-1)!.end : null
  return { ids, end, transactions: Number(rows[0]!.transactions), last: rows[0]!.last }
}

/** Raw: one lookup per trace. Index: traces (end_lt) of long ones, transactions (piece). */
const LONG_TRACES = statement<{ readonly trace_id: Buffer }>('long traces of an account', {
  trace_id: 'bytea',
})

/** The account's long traces that end before `end` in this order, or all of them if it is null. */
async function longTraces(
  db: Db,
  account: bigint,
  by: {
    readonly order: Order
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
