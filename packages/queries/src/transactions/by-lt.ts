import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { narrowByTime } from '../blocks/index.ts'
import { all, direction, isEmpty, KEEP_PLAN, statement, timesAfter, timesUpTo } from '../idiom/index.ts'
import { type Beginning, fromFirstPartitions, readingRows, readingTimes } from '../partitions/index.ts'
import {
  TRANSACTION_COLUMNS,
  TRANSACTION_TYPES,
  type TransactionRow,
  type TransactionSlice,
} from './transaction-rows.ts'
import { notBefore, scanConditions, scanOfAccount, type TransactionScan } from './transaction-scan.ts'

/** Raw: the conditions decide whether the plan is kept. Index: same as `readByLt`. */
const BY_LT = statement<TransactionRow>('transactions by lt', TRANSACTION_TYPES)

/** `readByLt` for any selection: from the first partitions if they have enough rows. */
export const readFirstByLt = (
  db: Db,
  scan: TransactionScan,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> =>
  fromFirstPartitions(
    db,
    { ...scan, lt: slice.after ? notBefore(scan.lt, slice.after, slice.sort) : scan.lt, sort: slice.sort },
    readingRows(slice, (lt, wanted) => readByLt(db, { ...scan, lt }, { ...slice, ...wanted })),
  )

/**
 * Rows ordered by `lt <sort>, account_id`, of a small selection or in few partitions. Index: transactions
 * (lt), or the primary key for one account.
 */
export async function readByLt(
  db: Db,
  scan: TransactionScan,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  if (isEmpty(scan.lt)) return []
  const keep = scan.keepPlan ? KEEP_PLAN : sql``
  const rows =
    scan.account === undefined
      ? sql`transactions t where ${all(scanConditions(scan, slice, 'lt'))}`
      : sql`(${scanOfAccount(scan.account, scan, slice)}) t`
  return BY_LT.rows(
    db,
    sql`
    ${keep} select ${TRANSACTION_COLUMNS} from ${rows}
    order by t.lt ${direction(slice.sort)}, t.account_id 
    limit ${slice.limit} offset ${slice.offset}`,
  )
}

/**
 * Raw: `readByTime` measures its range of lt with the same conditions. Index: transactions (lt) or (hash).
 */
const BY_TIME = statement<TransactionRow>('transactions by time', TRANSACTION_TYPES)

/**
 * Rows ordered by `now <sort>, lt <sort>, account_id`, all sorted at once: the selection is small, because it
 * has a range of lt or a list of hashes.
 */
export async function readSmallByTime(
  db: Db,
  scan: TransactionScan,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  if (isEmpty(scan.lt)) return []
  return BY_TIME.rows(
    db,
    sql`
    select ${TRANSACTION_COLUMNS} from transactions t
    where ${all(scanConditions(scan, slice, 'time'))}
    order by t.now ${direction(slice.sort)}, t.lt ${direction(slice.sort)}, t.account_id
    limit ${slice.limit} offset ${slice.offset}`,
  )
}

/** Raw: an aggregate over part of the index on lt. */
const FIRST_BY_LT = statement<Beginning>('time up to which the first transactions by lt reach', {
  count: 'int4',
  reach: 'int4',
})

/**
 * Same order for any selection, without sorting all of it. Time and lt are almost in the same order: the
 * first rows by lt give a time before which enough rows exist, and a proven range of lt holds all rows up to
 * that time. Index: transactions (lt), twice.
 */
export async function readByTime(
  db: Db,
  scan: TransactionScan,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  const bounded = await narrowByTime(db, scan, timesAfter(slice.after?.now, slice.sort))
  if (isEmpty(bounded.lt)) return []
  const needed = slice.limit + slice.offset
  const { count, reach } = await fromFirstPartitions(
    db,
    { lt: bounded.lt, sort: slice.sort },
    readingTimes({ sort: slice.sort, needed }, (lt, atMost) =>
      firstByLt(db, { ...bounded, lt }, slice, atMost),
    ),
  )
  if (reach === null) return []
  if (count < needed) return readSmallByTime(db, bounded, slice)
  return readSmallByTime(db, await narrowByTime(db, bounded, timesUpTo(reach, slice.sort)), slice)
}

async function firstByLt(
  db: Db,
  scan: TransactionScan,
  slice: TransactionSlice,
  atMost: number,
): Promise<Beginning> {
  const reach = slice.sort === 'asc' ? sql`max(x.now)` : sql`min(x.now)`
  const [row] = await FIRST_BY_LT.rows(
    db,
    sql`
    select count(*)::int as count, ${reach} as reach from (
      select t.now from transactions t where ${all(scanConditions(scan, slice, 'time'))}
      order by t.lt ${direction(slice.sort)} limit ${atMost}
    ) x`,
  )
  return row!
}
