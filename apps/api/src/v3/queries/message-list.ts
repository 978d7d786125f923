import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { createdBetween } from './message-conditions.ts'
import { CREATED_LT, MESSAGE_COLUMNS, type MessageRow, SYSTEM_LT_SKEW } from './message-rows.ts'
import {
  all,
  beyond,
  type Condition,
  direction,
  earlier,
  hasTime,
  intersect,
  isEmpty,
  KEEP_PLAN,
  type LtRange,
  later,
  type Sort,
  type TimeRange,
} from './sql.ts'
import { ltRangeOfTime } from './time-bounds.ts'

/** Ordering columns of a list of messages. */
export interface MessagePosition {
  /** Null on external-in messages. */
  readonly created_lt: bigint | null
  readonly created_at: number | null
  readonly hash: Buffer
}

export interface MessageSlice {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  readonly after?: MessagePosition | undefined
}

export interface MessageScan {
  /** On created_lt. */
  readonly lt: LtRange
  /** On created_at. */
  readonly time: TimeRange
  /** Over the table `m`. */
  readonly conditions: readonly Condition[]
  /** The conditions name one value of an index or nothing: the index to walk does not depend on values. */
  readonly keepPlan?: boolean
}

/** System messages that one masterchain block may begin with: as many rows may change places with what was created beside them. */
const SYSTEM_ROWS = 8

/**
 * Messages other than external-in in order `created_lt <sort>, hash <sort>`. Index: messages (lt) where kind <> 1, or (account_id,
 * lt), (destination_id, lt), (opcode, lt) when the conditions name one.
 *
 * The index has the order of the column lt, which lies a little above created_lt on system messages. So the page is read in that
 * order and sorted again: descending, a system message may fall out of the page, for which some rows more are read; ascending, one
 * from behind the page may belong into it, and those are read too.
 */
export async function listByCreatedLt(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  if (isEmpty(scan.lt)) return []
  const dir = direction(slice.sort)
  const wanted = positions(scan.lt, slice)
  const conditions = all([sql`m.kind <> 1`, ...aroundRange(scan.lt, slice), ...scan.conditions])
  const behind = sql`
    union all
    select ${MESSAGE_COLUMNS} from messages m
    where ${conditions} and m.flags & 8 <> 0
      and m.lt > (select max(lt) from page) and m.lt <= (select max(lt) from page) + ${SYSTEM_LT_SKEW}::int8
      and (select count(*) from page) = ${slice.limit + slice.offset + SYSTEM_ROWS}`
  const { rows } = await sql<MessageRow>`
    ${scan.keepPlan ? KEEP_PLAN : sql``} with page as materialized (
      select ${MESSAGE_COLUMNS} from messages m
      where ${conditions} and (m.flags & 8 <> 0 or ${wanted(sql`m.lt`, sql`m.hash`)})
      order by m.lt ${dir}, m.hash ${dir} limit ${slice.limit + slice.offset + SYSTEM_ROWS}
    )
    select * from (select * from page ${slice.sort === 'asc' ? behind : sql``}) x
    where ${wanted(sql`x.created_lt`, sql`x.hash`)}
    order by x.created_lt ${dir}, x.hash ${dir} limit ${slice.limit} offset ${slice.offset}`.execute(db)
  return rows
}

/** Within the range and after the position of the slice, told by a creation lt and a hash. */
function positions(range: LtRange, { after, sort }: MessageSlice) {
  return (createdLt: RawBuilder<unknown>, hash: RawBuilder<unknown>): Condition => {
    const inRange = sql`${createdLt} between ${range.from} and ${range.to}`
    if (after?.created_lt == null) return inRange
    return sql`(${inRange} and (${createdLt} ${beyond(sort)} ${after.created_lt}
      or (${createdLt} = ${after.created_lt} and ${hash} ${beyond(sort)} ${after.hash})))`
  }
}

const MAX_LT = 0x7fffffffffffffffn

/** Bounds on the column lt that lose no message whose created_lt is wanted. */
function aroundRange(range: LtRange, { after, sort }: Pick<MessageSlice, 'after' | 'sort'>): Condition[] {
  let { from, to } = range
  if (after?.created_lt != null) {
    if (sort === 'asc') from = later(from, after.created_lt)
    else to = earlier(to, after.created_lt)
  }
  return [sql`m.lt between ${from} and ${to > MAX_LT - SYSTEM_LT_SKEW ? MAX_LT : to + SYSTEM_LT_SKEW}`]
}

/**
 * Messages other than external-in in order `created_at <sort>, hash <sort>`. As with transactions, the first rows by lt tell a time
 * up to which enough rows exist, and a proven range of lt holds every row up to that time. Index: as `listByCreatedLt`.
 */
export async function listByCreatedAt(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  const bounded = await narrow(db, scan, beginning(slice))
  if (isEmpty(bounded.lt)) return []
  const needed = slice.limit + slice.offset
  const reach = slice.sort === 'asc' ? sql`max(x.created_at)` : sql`min(x.created_at)`
  const { rows } = await sql<{ count: bigint; reach: number | null }>`
    select count(*) as count, ${reach} as reach from (
      select m.created_at from messages m where ${all(timeOrderConditions(bounded, slice))}
      order by m.lt ${direction(slice.sort)} limit ${needed}
    ) x`.execute(db)
  const row = rows[0]
  if (!row || row.reach === null) return []
  if (Number(row.count) < needed) return sortedByCreatedAt(db, bounded, slice)
  const enough = slice.sort === 'asc' ? { to: row.reach } : { from: row.reach }
  return sortedByCreatedAt(db, await narrow(db, bounded, enough), slice)
}

async function sortedByCreatedAt(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  if (isEmpty(scan.lt)) return []
  const dir = direction(slice.sort)
  const { rows } = await sql<MessageRow>`
    select ${MESSAGE_COLUMNS} from messages m where ${all(timeOrderConditions(scan, slice))}
    order by m.created_at ${dir}, m.hash ${dir} limit ${slice.limit} offset ${slice.offset}`.execute(db)
  return rows
}

async function narrow(db: Db, scan: MessageScan, period: TimeRange): Promise<MessageScan> {
  const from = Math.max(scan.time.from ?? 0, period.from ?? 0)
  const to = Math.min(scan.time.to ?? Number.POSITIVE_INFINITY, period.to ?? Number.POSITIVE_INFINITY)
  const time = { from: from === 0 ? undefined : from, to: to === Number.POSITIVE_INFINITY ? undefined : to }
  if (!hasTime(time)) return scan
  return { ...scan, time, lt: intersect(scan.lt, await ltRangeOfTime(db, time)) }
}

function beginning({ after, sort }: MessageSlice): TimeRange {
  if (after?.created_at == null) return {}
  return sort === 'asc' ? { from: after.created_at } : { to: after.created_at }
}

function timeOrderConditions(scan: MessageScan, { after, sort }: MessageSlice): Condition[] {
  const conditions = [
    sql`m.kind <> 1`,
    ...aroundRange(scan.lt, { sort }),
    sql`${CREATED_LT} between ${scan.lt.from} and ${scan.lt.to}`,
    ...createdBetween(scan.time),
    ...scan.conditions,
  ]
  if (after?.created_at != null) {
    conditions.push(sql`(m.created_at ${beyond(sort)} ${after.created_at}
      or (m.created_at = ${after.created_at} and m.hash ${beyond(sort)} ${after.hash}))`)
  }
  return conditions
}

/**
 * External-in messages in order `hash <sort>`, one row per hash: of several receptions of a message
 * the one by the transaction with the greatest hash.
 * Index: messages (account_id, hash), (opcode, hash) or (hash), all where kind = 1.
 */
export async function listExternalIn(
  db: Db,
  { conditions, keepPlan }: Pick<MessageScan, 'conditions' | 'keepPlan'>,
  slice: MessageSlice,
): Promise<MessageRow[]> {
  const dir = direction(slice.sort)
  const after = slice.after ? [sql`m.hash ${beyond(slice.sort)} ${slice.after.hash}`] : []
  const { rows } = await sql<MessageRow>`
    ${keepPlan ? KEEP_PLAN : sql``} select ${MESSAGE_COLUMNS} from (
      select m.hash from messages m where m.kind = 1 and ${all([...conditions, ...after])}
      group by m.hash order by m.hash ${dir} limit ${slice.limit} offset ${slice.offset}
    ) k
    cross join lateral (
      select m.* from messages m left join transactions r on r.account_id = m.account_id and r.lt = m.lt
      where m.hash = k.hash and m.kind = 1 and ${all(conditions)} order by r.hash desc nulls last limit 1
    ) m
    order by m.hash ${dir}`.execute(db)
  return rows
}

/** How many external-in messages there are, counted no further than asked. Index: as `listExternalIn`. */
export async function countExternalIn(db: Db, conditions: readonly Condition[], atMost: number): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from (
      select 1 from messages m where m.kind = 1 and ${all(conditions)} group by m.hash order by m.hash limit ${atMost}
    ) x`.execute(db)
  return Number(rows[0]!.count)
}

/** How many other messages there are, counted no further than asked. Index: as `listByCreatedLt`. */
export async function countOthers(db: Db, conditions: readonly Condition[], atMost: number): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from (
      select 1 from messages m where m.kind <> 1 and ${all(conditions)} order by m.lt limit ${atMost}
    ) x`.execute(db)
  return Number(rows[0]!.count)
}
