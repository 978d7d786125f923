import type { Db } from '@shardwalk/db'
import { ltRangeOfTime } from '@shardwalk/queries'
import { type RawBuilder, sql } from 'kysely'
import { createdBetween } from './message-conditions.ts'
import { listCrossing, type MessageKey } from './message-crossing.ts'
import { CREATED_LT, MESSAGE_COLUMNS, type MessageRow, SYSTEM_LT_SKEW } from './message-rows.ts'
import {
  ALL_LT,
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
  /** The lists that the conditions name together: `crossedLists`. */
  readonly lists: readonly Condition[]
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
  if (scan.lists.length > 0) return listCrossed(db, scan, slice)
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

/** The same of several lists at once, which hold nothing that the system sent: creation is the lt. Index: as `listCrossing`. */
async function listCrossed(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  // Of the lt alone the crossing has bounds: others would be known to the indexes.
  const position = positions(scan.lt, slice)(sql`(m.lt + 0)`, sql`m.hash`)
  const lt = beyondPosition(scan.lt, slice)
  const crossing = { lists: scan.lists, lt, conditions: [sql`m.kind <> 1`, position, ...scan.conditions] }
  const keys = await listCrossing(db, crossing, slice.sort, slice.offset + slice.limit)
  const page = keys.slice(slice.offset)
  if (page.length === 0) return []
  const { rows } = await sql<MessageRow>`
    ${KEEP_PLAN} select ${MESSAGE_COLUMNS}
    from unnest(${page.map((key) => key.account_id)}::int8[], ${page.map((key) => key.lt)}::int8[])
      with ordinality as k(account_id, lt, position)
    join messages m on m.account_id = k.account_id and m.lt = k.lt
    order by k.position`.execute(db)
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
function aroundRange(range: LtRange, slice: Pick<MessageSlice, 'after' | 'sort'>): Condition[] {
  const { from, to } = beyondPosition(range, slice)
  return [sql`m.lt between ${from} and ${to > MAX_LT - SYSTEM_LT_SKEW ? MAX_LT : to + SYSTEM_LT_SKEW}`]
}

/** What of a range of created_lt does not lie before the position. */
function beyondPosition(
  { from, to }: LtRange,
  { after, sort }: Pick<MessageSlice, 'after' | 'sort'>,
): LtRange {
  if (after?.created_lt == null) return { from, to }
  return sort === 'asc'
    ? { from: later(from, after.created_lt), to }
    : { from, to: earlier(to, after.created_lt) }
}

/**
 * Messages other than external-in in order `created_at <sort>, hash <sort>`. As with transactions, the first rows by lt tell a time
 * up to which enough rows exist, and a proven range of lt holds every row up to that time. Index: as `listByCreatedLt`.
 */
export async function listByCreatedAt(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  const bounded = await narrow(db, scan, beginning(slice))
  if (isEmpty(bounded.lt)) return []
  const needed = slice.limit + slice.offset
  const times = (await firstByLt(db, bounded, slice, needed)).flatMap((row) => row.created_at ?? [])
  if (times.length === 0) return []
  if (times.length < needed) return sortedByCreatedAt(db, bounded, slice)
  const enough = slice.sort === 'asc' ? { to: Math.max(...times) } : { from: Math.min(...times) }
  return sortedByCreatedAt(db, await narrow(db, bounded, enough), slice)
}

/** Times of the first messages by lt. */
async function firstByLt(
  db: Db,
  scan: MessageScan,
  slice: MessageSlice,
  limit: number,
): Promise<Pick<MessageKey, 'created_at'>[]> {
  if (scan.lists.length > 0)
    return listCrossing(db, { ...scan, conditions: creationConditions(scan, slice) }, slice.sort, limit)
  const { rows } = await sql<Pick<MessageKey, 'created_at'>>`
    select m.created_at from messages m where ${all(timeOrderConditions(scan, slice))}
    order by m.lt ${direction(slice.sort)} limit ${limit}`.execute(db)
  return rows
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

const timeOrderConditions = (scan: MessageScan, slice: MessageSlice): Condition[] => [
  ...aroundRange(scan.lt, { sort: slice.sort }),
  ...creationConditions(scan, slice),
]

function creationConditions(scan: MessageScan, { after, sort }: MessageSlice): Condition[] {
  const conditions = [
    sql`m.kind <> 1`,
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

/** Up to here the external-in messages with a body are sorted; beyond it they are so many that the list of all meets them soon. */
const FEW_WITH_BODY = 5000

/**
 * Conditions for `listExternalIn` that hold for the same messages, and name them when few have the body: the list of all is in the order of
 * hashes, in which they are spread evenly. Index: messages (body_hash8) where kind = 1, whatever the value.
 */
export async function nameExternalIn(
  db: Db,
  conditions: readonly Condition[],
  bodyHash8: bigint,
): Promise<Condition[]> {
  const { rows } = await sql<{ account_id: bigint; lt: bigint }>`
    ${KEEP_PLAN} select m.account_id, m.lt from messages m where m.kind = 1 and m.body_hash8 = ${bodyHash8}
    limit ${FEW_WITH_BODY + 1}`.execute(db)
  if (rows.length > FEW_WITH_BODY) return [...conditions]
  const [accounts, lts] = [rows.map((row) => row.account_id), rows.map((row) => row.lt)]
  const named = sql`(m.account_id, m.lt) in (select * from unnest(${accounts}::int8[], ${lts}::int8[]))`
  return [...conditions, rows.length > 0 ? named : sql`false`]
}

/** How many external-in messages there are, counted no further than asked. Index: as `listExternalIn`. */
export async function countExternalIn(
  db: Db,
  conditions: readonly Condition[],
  atMost: number,
): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from (
      select 1 from messages m where m.kind = 1 and ${all(conditions)} group by m.hash order by m.hash limit ${atMost}
    ) x`.execute(db)
  return Number(rows[0]!.count)
}

/** How many other messages there are, counted no further than asked. Index: as `listByCreatedLt`. */
export async function countOthers(
  db: Db,
  { conditions, lists }: Pick<MessageScan, 'conditions' | 'lists'>,
  atMost: number,
): Promise<number> {
  if (lists.length > 0) {
    const crossing = { lt: ALL_LT, lists, conditions: [sql`m.kind <> 1`, ...conditions] }
    return (await listCrossing(db, crossing, 'asc', atMost)).length
  }
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from (
      select 1 from messages m where m.kind <> 1 and ${all(conditions)} order by m.lt limit ${atMost}
    ) x`.execute(db)
  return Number(rows[0]!.count)
}
