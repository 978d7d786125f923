import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { narrowByTime } from '../blocks/index.ts'
import {
  beyond,
  type Condition,
  direction,
  heldRows,
  isEmpty,
  type LtRange,
  type Sort,
  statement,
  timesAfter,
  timesUpTo,
} from '../idiom/index.ts'
import { type Beginning, readingTimes } from '../partitions/index.ts'
import { fromFirstMessages, inOrderOfLt, ofRange } from './by-created-lt.ts'
import { listCrossing } from './crossing.ts'
import { createdBetween } from './message-filter.ts'
import { CREATED_LT, MESSAGE_COLUMNS, MESSAGE_TYPES, type MessageRow } from './message-rows.ts'
import { conditionsOf, type MessageScan, type MessageSlice } from './message-scan.ts'

/**
 * Messages other than external-in, ordered by `created_at <sort>, hash <sort>`. As with transactions, the
 * first rows by lt give a time before which enough rows exist, and a proven range of lt holds all rows up to
 * that time. Index: same as `readByCreatedLt`.
 */
export async function readByCreatedAt(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  const needed = scan.lists.length > 0 ? heldRows(slice) : slice.limit + slice.offset
  const bounded = await narrowByTime(db, scan, timesAfter(slice.after?.created_at, slice.sort))
  if (isEmpty(bounded.lt)) return []
  const { sort } = slice
  const read = (lt: LtRange, atMost: number) => firstByLt(db, { ...bounded, lt }, slice, atMost)
  const { count, reach } = await (scan.lists.length > 0
    ? read(bounded.lt, needed)
    : fromFirstMessages(db, bounded, { sort }, readingTimes({ sort, needed }, read)))
  if (reach === null) return []
  if (count < needed) return sortedByCreatedAt(db, bounded, slice)
  return sortedByCreatedAt(db, await narrowByTime(db, bounded, timesUpTo(reach, slice.sort)), slice)
}

/** Raw, both: a range of lt bounds the scan. Index: same as `readByCreatedLt`. */
const FIRST_TIMES = statement<Beginning>('time up to which the first messages by lt reach', {
  count: 'int4',
  reach: 'int4',
})
const BY_CREATED_AT = statement<MessageRow>('messages by creation time', MESSAGE_TYPES)

async function firstByLt(
  db: Db,
  scan: MessageScan,
  { sort, after }: MessageSlice,
  limit: number,
): Promise<Beginning> {
  const conditions = creationConditions(scan, { sort, after })
  if (scan.lists.length > 0)
    return reachOf(await listCrossing(db, { ...scan, conditions }, sort, limit), sort)
  const reach = sort === 'asc' ? sql`max(m.created_at)` : sql`min(m.created_at)`
  const [row] = await FIRST_TIMES.rows(
    db,
    sql`
    select count(m.created_at)::int as count, ${reach} as reach
    from (${inOrderOfLt({ ...scan, keepPlan: false, conditions }, { sort }, limit)}) m`,
  )
  return row!
}

function reachOf(messages: readonly Pick<MessageRow, 'created_at'>[], sort: Sort): Beginning {
  const further = sort === 'asc' ? Math.max : Math.min
  let count = 0
  let reach: number | null = null
  for (const { created_at: at } of messages) {
    if (at === null) continue
    count++
    reach = reach === null ? at : further(reach, at)
  }
  return { count, reach }
}

async function sortedByCreatedAt(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  if (isEmpty(scan.lt)) return []
  const dir = direction(slice.sort)
  return BY_CREATED_AT.rows(
    db,
    sql`
    select ${MESSAGE_COLUMNS}
    from (${ofRange({ ...scan, conditions: creationConditions(scan, slice) })}) m
    order by m.created_at ${dir}, m.hash ${dir} limit ${slice.limit} offset ${slice.offset}`,
  )
}

function creationConditions(
  scan: MessageScan,
  { after, sort }: Pick<MessageSlice, 'after' | 'sort'>,
): Condition[] {
  const conditions = [
    sql`m.kind <> 1`,
    sql`${CREATED_LT} between ${scan.lt.from} and ${scan.lt.to}`,
    ...createdBetween(scan.time),
    ...conditionsOf(scan),
  ]
  if (after?.created_at != null) {
    conditions.push(sql`(m.created_at ${beyond(sort)} ${after.created_at}
      or (m.created_at = ${after.created_at} and m.hash ${beyond(sort)} ${after.hash}))`)
  }
  return conditions
}
