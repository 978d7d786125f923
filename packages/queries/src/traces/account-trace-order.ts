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

type Position = TraceSlice['after']
/** The part of an order that depends on where the list begins. */
type Start = Pick<TraceOrder, 'lt' | 'within'>

const BY_LT = {
  columns: { at: sql`t.lt`, start: sql`r.start_lt`, end: sql`r.end_lt` },
  /** How far the end of a trace that is not long may be from one of its transactions. */
  slack: LONG_LT,
}
const BY_TIME = {
  columns: { at: sql`t.now`, start: sql`r.start_utime`, end: sql`r.end_utime` },
  slack: BigInt(LONG_SECONDS + SKEW_SECONDS),
}

/** By time if the list is bounded by time, otherwise by lt. */
export const orderOf = (db: Db, scan: TraceScan, { sort, after }: TraceSlice): Promise<TraceOrder> =>
  sort === 'desc' ? newestFirst(db, scan, after) : oldestFirst(db, scan, after)

async function newestFirst(db: Db, scan: TraceScan, after: Position): Promise<TraceOrder> {
  const byTime = hasTime(scan.time)
  const { columns, slack } = byTime ? BY_TIME : BY_LT
  return {
    ...columns,
    sort: 'desc',
    ...(byTime ? await upToTime(db, scan, after) : upToLt(scan, after)),
    fromBeginning: true,
    isBeyond: (last, end) => last + slack < end,
    bound: (end) => (byTime ? undefined : end - slack),
  }
}

// A transaction is never later than the end of its trace.

const upToLt = ({ lt }: TraceScan, after: Position): Start => ({
  lt: { from: ALL_LT.from, to: earlier(lt.to, after?.end_lt ?? lt.to) },
  within: sql`true`,
})

async function upToTime(db: Db, { lt, time }: TraceScan, after: Position): Promise<Start> {
  const latest = after ? Math.min(after.end_utime, time.to ?? after.end_utime) : time.to
  const { to } = await ltRangeOfTime(db, { to: latest })
  return {
    lt: { from: ALL_LT.from, to: earlier(to, lt.to) },
    within: after ? sql`t.now <= ${BigInt(after.end_utime)}::int8` : sql`true`,
  }
}

async function oldestFirst(db: Db, { lt, time }: TraceScan, after: Position): Promise<TraceOrder> {
  const byTime = hasTime(time)
  const { columns, slack } = byTime ? BY_TIME : BY_LT
  const least = byTime ? BigInt(time.from ?? 0) : lt.from
  const position = byTime ? after && BigInt(after.end_utime) : after?.end_lt
  const start = later(position ?? least, least) - slack
  return {
    ...columns,
    sort: 'asc',
    ...(byTime ? await fromTime(db, start) : { lt: { from: start, to: ALL_LT.to }, within: sql`true` }),
    fromBeginning: start <= 0n,
    startedBy: start,
    isBeyond: (last, end) => last > end,
    bound: (end) => (byTime ? undefined : end),
  }
}

async function fromTime(db: Db, start: bigint): Promise<Start> {
  const from = start > 0n ? (await ltRangeOfTime(db, { from: Number(start) })).from : start
  return { lt: { from, to: ALL_LT.to }, within: sql`t.now >= ${start}::int8` }
}
