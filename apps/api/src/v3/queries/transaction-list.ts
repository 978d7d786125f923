import type { Db } from '@shardwalk/db'
import { ltRangeOfTime } from '@shardwalk/queries'
import { type RawBuilder, sql } from 'kysely'
import {
  all,
  beyond,
  beyondOrAt,
  type Condition,
  direction,
  hasTime,
  intersect,
  isEmpty,
  KEEP_PLAN,
  type LtRange,
  type Sort,
  type TimeRange,
  timeConditions,
} from './sql.ts'
import {
  TRANSACTION_COLUMNS,
  type TransactionKey,
  type TransactionOrder,
  type TransactionRow,
} from './transaction-rows.ts'

/** Which part of a list: rows after a position, some of them skipped. */
export interface Slice {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  readonly after?: TransactionKey | undefined
}

export interface TransactionScan {
  readonly lt: LtRange
  readonly time: TimeRange
  /** Over the table `t`. */
  readonly conditions: readonly Condition[]
  /** The conditions name one account or nothing: the index to walk does not depend on values. */
  readonly keepPlan?: boolean
}

/** Rows in order `lt <sort>, account_id`. Index: transactions (lt), or the primary key when one account is among the conditions. */
export async function listByLt(db: Db, scan: TransactionScan, slice: Slice): Promise<TransactionRow[]> {
  if (isEmpty(scan.lt)) return []
  const keep = scan.keepPlan ? KEEP_PLAN : sql``
  const { rows } = await sql<TransactionRow>`
    ${keep} select ${TRANSACTION_COLUMNS} from transactions t
    where ${all(allConditions(scan, slice, 'lt'))}
    order by t.lt ${direction(slice.sort)}, t.account_id limit ${slice.limit} offset ${slice.offset}`.execute(
    db,
  )
  return rows
}

/**
 * Rows in order `now <sort>, lt <sort>, account_id` of a selection that a range of lt or a list of hashes keeps small: it is sorted
 * as a whole.
 */
export async function listSmallByTime(
  db: Db,
  scan: TransactionScan,
  slice: Slice,
): Promise<TransactionRow[]> {
  if (isEmpty(scan.lt)) return []
  const { rows } = await sql<TransactionRow>`
    select ${TRANSACTION_COLUMNS} from transactions t
    where ${all(allConditions(scan, slice, 'time'))}
    order by t.now ${direction(slice.sort)}, t.lt ${direction(slice.sort)}, t.account_id
    limit ${slice.limit} offset ${slice.offset}`.execute(db)
  return rows
}

/**
 * The same order over any selection, without sorting all of it: time and lt nearly agree. The first rows by lt tell a time up to
 * which enough rows exist; a proven range of lt then holds every row up to that time. Index: transactions (lt), twice.
 */
export async function listByTime(db: Db, scan: TransactionScan, slice: Slice): Promise<TransactionRow[]> {
  const bounded = await narrowByTime(db, scan, timeBeyond(slice))
  if (isEmpty(bounded.lt)) return []
  const needed = slice.limit + slice.offset
  const reach = slice.sort === 'asc' ? sql`max(x.now)` : sql`min(x.now)`
  const { rows } = await sql<{ count: bigint; reach: number | null }>`
    select count(*) as count, ${reach} as reach from (
      select t.now from transactions t where ${all(allConditions(bounded, slice, 'time'))}
      order by t.lt ${direction(slice.sort)} limit ${needed}
    ) x`.execute(db)
  const row = rows[0]
  if (!row || row.reach === null) return []
  if (Number(row.count) < needed) return listSmallByTime(db, bounded, slice)
  return listSmallByTime(db, await narrowByTime(db, bounded, upTo(row.reach, slice.sort)), slice)
}

/** Adds a period and the range of lt that it implies. */
export async function narrowByTime(
  db: Db,
  scan: TransactionScan,
  period: TimeRange,
): Promise<TransactionScan> {
  const time = {
    from: greatest(scan.time.from, period.from),
    to: least(scan.time.to, period.to),
  }
  if (!hasTime(time)) return scan
  return { ...scan, time, lt: intersect(scan.lt, await ltRangeOfTime(db, time)) }
}

const greatest = (a: number | undefined, b: number | undefined) =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b)
const least = (a: number | undefined, b: number | undefined) =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b)

/** Nothing before the position in the order is wanted. */
function timeBeyond({ after, sort }: Slice): TimeRange {
  if (!after) return {}
  return sort === 'asc' ? { from: after.now } : { to: after.now }
}

const upTo = (time: number, sort: Sort): TimeRange => (sort === 'asc' ? { to: time } : { from: time })

function allConditions(scan: TransactionScan, slice: Slice, order: TransactionOrder): Condition[] {
  return [
    sql`t.lt between ${scan.lt.from} and ${scan.lt.to}`,
    ...timeConditions(sql`t.now`, scan.time),
    ...scan.conditions,
    ...(slice.after ? [afterPosition(slice.after, order, slice.sort)] : []),
  ]
}

/** Rows that follow a position. The first comparison is what an index can use. */
export function afterPosition(
  after: TransactionKey,
  order: TransactionOrder,
  sort: Sort,
): RawBuilder<unknown> {
  const byLt = sql`(t.lt ${beyond(sort)} ${after.lt} or (t.lt = ${after.lt} and t.account_id > ${after.account_id}))`
  if (order === 'lt') return sql`t.lt ${beyondOrAt(sort)} ${after.lt} and ${byLt}`
  return sql`t.now ${beyondOrAt(sort)} ${after.now} and (t.now ${beyond(sort)} ${after.now} or ${byLt})`
}
