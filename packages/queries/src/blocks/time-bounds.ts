import type { Db } from '@shardwalk/db'
import { MASTERCHAIN } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  ALL_LT,
  intersect,
  intersectTimes,
  KEEP_PLAN,
  type LtRange,
  statement,
  type TimeRange,
} from '../idiom/index.ts'
import { WHOLE_WORKCHAIN } from './block-rows.ts'
import { SHARD_TOPS } from './shard-tops.ts'

/**
 * Numbers of masterchain blocks examined after the end of a period: those that are enough where every shard
 * makes blocks, and then. If a shard makes none for longer, the range stays open.
 */
const NEXT = 4
const LOOK_AHEAD = 32
/** Same, before the beginning, when the newest such block does not give a bound. */
const LOOK_BACK = 32

/**
 * Range of logical time outside of which nothing happened in the period. It may be wider than the period, so
 * rows in it must still be compared by their own time. Index: blocks (gen_utime, workchain, shard, seqno),
 * primary key.
 *
 * Times and logical times of different shards are not in the same order, so the bounds are proven through the
 * masterchain:
 * - from: let M be the newest masterchain block such that M and all blocks it commits are older than the
 *   period. A block of the period is not in the history of M, so it descends from one of the shard tops of M
 *   and starts after the end_lt of that top, which is 0 if the shard has no block yet: its first one may
 *   start before M.
 * - to: let Q be a masterchain block all of whose shard tops are later than the period. Blocks of the period
 *   are ancestors of those tops and end before them.
 */
export async function ltRangeOfTime(db: Db, time: TimeRange): Promise<LtRange> {
  const [from, to] = await Promise.all([
    time.from === undefined ? undefined : findLowerBound(db, time.from),
    time.to === undefined ? undefined : findUpperBound(db, time.to),
  ])
  return { from: from ?? ALL_LT.from, to: to ?? ALL_LT.to }
}

/** What is read of a table. */
interface Timed {
  readonly time: TimeRange
  readonly lt: LtRange
  /** Times of which `lt` is within the range already. */
  readonly narrowedBy?: TimeRange
}

/** Adds a period to what is read, and the range of lt that it implies. */
export async function narrowByTime<Scan extends Timed>(
  db: Db,
  scan: Scan,
  period: TimeRange,
): Promise<Scan & Pick<Timed, 'narrowedBy'>> {
  const time = intersectTimes(scan.time, period)
  const { narrowedBy: known = {} } = scan
  const lt = await ltRangeOfTime(db, {
    from: time.from === known.from ? undefined : time.from,
    to: time.to === known.to ? undefined : time.to,
  })
  return { ...scan, time, narrowedBy: time, lt: intersect(scan.lt, lt) }
}

/**
 * Takes the newest M whose shard tops are indexed; after a gap in the index they are not. Undefined at the
 * beginning of the indexed range.
 */
const findLowerBound = async (db: Db, from: number): Promise<bigint | undefined> =>
  (await lowerBoundAmong(db, from, 1)) ?? (await lowerBoundAmong(db, from, LOOK_BACK))

/** Raw: the limit is part of the text because the number of blocks decides the plan, which is kept. */
const LOWER_BOUND = statement<{ readonly bound: bigint }>('lower bound of a time', { bound: 'int8' })

async function lowerBoundAmong(db: Db, from: number, candidates: number): Promise<bigint | undefined> {
  const time = clampTime(from)
  const rows = await LOWER_BOUND.rows(
    db,
    sql`
    ${KEEP_PLAN} select min(case when s.seqno > 0 then b.end_lt
        when (select w.seqno from blocks w where w.workchain = s.workchain
          order by w.shard, w.seqno limit 1) is not null then 0 end) as bound
    from (
      select workchain, shard, seqno, shard_tops from blocks
      where gen_utime < ${time} and workchain = ${sql.lit(MASTERCHAIN)} and shard = ${WHOLE_WORKCHAIN}
        and batch_max_utime < ${time}
      order by gen_utime desc, workchain desc, shard desc, seqno desc limit ${sql.lit(candidates)}
    ) m
    cross join lateral ${SHARD_TOPS} s
    left join blocks b on b.workchain = s.workchain and b.shard = s.shard and b.seqno = s.seqno
    group by m.seqno
    having bool_and(b.end_lt is not null or s.seqno = 0) and min(b.end_lt) is not null
    order by m.seqno desc limit 1`,
  )
  return rows[0]?.bound
}

/** Raw: same as `LOWER_BOUND`. */
const UPPER_BOUND = statement<{ readonly bound: bigint }>('upper bound of a time', { bound: 'int8' })

/** Undefined near the head. */
const findUpperBound = async (db: Db, to: number): Promise<bigint | undefined> =>
  (await upperBoundAmong(db, to, NEXT)) ?? (await upperBoundAmong(db, to, LOOK_AHEAD))

async function upperBoundAmong(db: Db, to: number, candidates: number): Promise<bigint | undefined> {
  const time = clampTime(to)
  const rows = await UPPER_BOUND.rows(
    db,
    sql`
    ${KEEP_PLAN} select max(b.end_lt) as bound
    from (
      select workchain, shard, seqno, shard_tops from blocks
      where gen_utime > ${time} and workchain = ${sql.lit(MASTERCHAIN)} and shard = ${WHOLE_WORKCHAIN}
      order by gen_utime, workchain, shard, seqno limit ${sql.lit(candidates)}
    ) m
    cross join lateral ${SHARD_TOPS} s
    left join blocks b on b.workchain = s.workchain and b.shard = s.shard and b.seqno = s.seqno
    group by m.seqno
    having count(*) = count(b.end_lt) and min(b.gen_utime) > ${time}
    order by m.seqno limit 1`,
  )
  return rows[0]?.bound
}

const clampTime = (time: number): number => Math.min(time, 2147483647)
