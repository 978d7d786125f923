import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { ltRangeOfTime } from '../blocks/index.ts'
import { ALL_LT, type Condition, earlier, hasTime, type LtRange, later, type Sort } from '../idiom/index.ts'
import { LONG_LT } from '../transactions/index.ts'
import type { TraceScan, TraceSlice } from './trace-filter.ts'

/** Traces that last longer than this, or than `LONG_LT`, are rare and have an index of their own. */
const LONG_SECONDS = 120
/**
 * A transaction may have an earlier time than the root of its trace, because blocks of different shards are
 * not in the same order. Seconds.
 */
export const SKEW_SECONDS = 60

/** The order of the list, by lt or by time, as columns of transactions and traces. */
export interface TraceOrder {
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

/** By time if the list is bounded by time, otherwise by lt. */
export async function orderOf(
  db: Db,
  { lt, time }: TraceScan,
  { sort, after }: TraceSlice,
): Promise<TraceOrder> {
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
