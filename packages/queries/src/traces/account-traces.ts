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
  heldRows,
  KEEP_PLAN,
  type LtRange,
  later,
  type Sort,
  statement,
} from '../idiom/index.ts'
import { alongActivity, fromFirstPartitions, withinActive } from '../partitions/index.ts'
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

/** Number of the account's transactions examined first; each further look examines four times as many. */
const FIRST_LOOK = 256

interface TracePage {
  readonly scan: TraceScan
  readonly slice: TraceSlice
  /** On the table aliased `r`. */
  readonly conditions: readonly Condition[]
}

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
  { scan, slice, conditions }: TracePage,
): Promise<Buffer[]> {
  const first = new FirstTraces(heldRows(slice), slice.sort)
  const order = await orderOf(db, scan, slice)
  const scanned = new Scanned(order)
  for (let look = Math.max(FIRST_LOOK, first.wanted); ; look *= 4) {
    const bound = first.end === null ? undefined : order.bound(first.end)
    const rest = scanned.rest(bound)
    const transactions = await fromFirstPartitions<number>(
      db,
      { account, lt: rest, sort: slice.sort },
      {
        read: async (range, before = 0) => {
          const by = { order, range, conditions, needed: first.wanted, look: look - before }
          const walked = await walk(db, account, by)
          first.add(walked.traces)
          scanned.add(walked)
          return before + walked.transactions
        },
        isEnough: (count) => count === look,
      },
    )
    const isOver = transactions < look
    if (isOver && bound === undefined && order.fromBeginning) return first.ids
    const { end } = first
    if (!isOver && !(scanned.last !== null && end !== null && order.isBeyond(scanned.last, end))) continue
    const startedBy = order.startedBy ?? scanned.last!
    return [...first.ids, ...(await longTraces(db, account, { order, conditions, end, startedBy }))]
  }
}

interface FoundTrace {
  readonly id: Buffer
  /** In the order of the list. */
  readonly end: bigint
}

/** The traces found so far that are the first ones of the list. */
class FirstTraces {
  private traces: readonly FoundTrace[] = []

  constructor(
    readonly wanted: number,
    private readonly sort: Sort,
  ) {}

  /** End of the last one; null while there are too few. */
  get end(): bigint | null {
    return this.traces.length === this.wanted ? this.traces.at(-1)!.end : null
  }

  get ids(): Buffer[] {
    return this.traces.map(({ id }) => id)
  }

  add(found: readonly FoundTrace[]): void {
    const sign = this.sort === 'asc' ? 1 : -1
    const byId = new Map([...this.traces, ...found].map((trace) => [trace.id.toString('latin1'), trace]))
    const inOrder = (a: FoundTrace, b: FoundTrace) =>
      sign * (a.end < b.end ? -1 : a.end > b.end ? 1 : Buffer.compare(a.id, b.id))
    this.traces = [...byId.values()].sort(inOrder).slice(0, this.wanted)
  }
}

/** The part of an account's transactions that was scanned. */
class Scanned {
  /** The furthest position in the order of the list. */
  last: bigint | null = null
  private lt: bigint | null = null

  constructor(private readonly order: Order) {}

  add({ last, lt }: Pick<Walked, 'last' | 'lt'>): void {
    if (last === null) return
    const further = this.order.sort === 'desc' ? earlier : later
    this.last = further(last, this.last ?? last)
    this.lt = lt
  }

  /** Range of lt that is left, up to a bound. */
  rest(bound: bigint | undefined): LtRange {
    const { from, to } = this.order.lt
    return this.order.sort === 'desc'
      ? { from: later(from, bound ?? from), to: this.lt === null ? to : this.lt - 1n }
      : { from: this.lt === null ? from : this.lt + 1n, to: earlier(to, bound ?? to) }
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
  /** The lt beyond which that is so for all transactions; undefined in an order by time. */
  readonly bound: (end: bigint) => bigint | undefined
  readonly sort: Sort
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
    const latest = after ? Math.min(after.end_utime, time.to ?? after.end_utime) : time.to
    const ends = byTime ? (await ltRangeOfTime(db, { to: latest })).to : lt.to
    const to = earlier(ends, lt.to)
    return {
      ...columns,
      sort,
      lt: { from: ALL_LT.from, to: byTime ? to : earlier(to, position ?? to) },
      within: byTime && position !== undefined ? sql`t.now <= ${position}::int8` : sql`true`,
      fromBeginning: true,
      isBeyond: (last, end) => last + slack < end,
      bound: (end) => (byTime ? undefined : end - slack),
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
    bound: (end) => (byTime ? undefined : end),
  }
}

interface Walked {
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
async function walk(
  db: Db,
  account: bigint,
  by: {
    readonly order: Order
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
