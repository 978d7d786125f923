import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { ltRangeOfTime } from '../blocks/index.ts'
import {
  beyond,
  type Condition,
  direction,
  hasTime,
  intersect,
  isEmpty,
  statement,
  type TimeRange,
} from '../idiom/index.ts'
import { inOrderOfLt, ofRange } from './by-created-lt.ts'
import { listCrossing } from './crossing.ts'
import { createdBetween } from './message-filter.ts'
import { CREATED_LT, MESSAGE_COLUMNS, MESSAGE_TYPES, type MessageRow } from './message-rows.ts'
import type { MessageScan, MessageSlice } from './message-scan.ts'

/**
 * Messages other than external-in, ordered by `created_at <sort>, hash <sort>`. As with transactions, the
 * first rows by lt give a time before which enough rows exist, and a proven range of lt holds all rows up to
 * that time. Index: same as `readByCreatedLt`.
 */
export async function readByCreatedAt(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  const bounded = await narrow(db, scan, beginning(slice))
  if (isEmpty(bounded.lt)) return []
  const needed = slice.limit + slice.offset
  const times = (await firstByLt(db, bounded, slice, needed)).flatMap((row) => row.created_at ?? [])
  if (times.length === 0) return []
  if (times.length < needed) return sortedByCreatedAt(db, bounded, slice)
  const enough = slice.sort === 'asc' ? { to: Math.max(...times) } : { from: Math.min(...times) }
  return sortedByCreatedAt(db, await narrow(db, bounded, enough), slice)
}

type Created = Pick<MessageRow, 'created_at'>

/** Raw, both: a range of lt bounds the scan. Index: same as `readByCreatedLt`. */
const FIRST_TIMES = statement<Created>('times of the first messages by lt', { created_at: 'int4' })
const BY_CREATED_AT = statement<MessageRow>('messages by creation time', MESSAGE_TYPES)

async function firstByLt(db: Db, scan: MessageScan, slice: MessageSlice, limit: number): Promise<Created[]> {
  const conditions = creationConditions(scan, slice)
  if (scan.lists.length > 0) return listCrossing(db, { ...scan, conditions }, slice.sort, limit)
  return FIRST_TIMES.rows(
    db,
    sql`
    select m.created_at
    from (${inOrderOfLt({ ...scan, conditions }, { sort: slice.sort }, limit)}) m`,
  )
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
