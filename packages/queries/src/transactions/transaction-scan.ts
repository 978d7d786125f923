import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  all,
  beyond,
  beyondOrAt,
  type Condition,
  direction,
  earlier,
  type LtRange,
  later,
  ltConditions,
  openedWithin,
  type Sort,
  type TimeRange,
  timeConditions,
} from '../idiom/index.ts'
import { alongActivity, withinActive } from '../partitions/index.ts'
import type { TransactionKey, TransactionOrder, TransactionSlice } from './transaction-rows.ts'

/** What a list of transactions is narrowed to. */
export interface TransactionScan {
  readonly lt: LtRange
  readonly time: TimeRange
  /** Conditions on the table aliased `t`. */
  readonly conditions: readonly Condition[]
  /** Only of this one; not in the conditions. */
  readonly account?: AccountId
  /** The choice of the index does not depend on values: there are no further conditions. */
  readonly keepPlan?: boolean
}

/** All conditions on the rows of a slice, on the table aliased `t`. */
export function scanConditions(
  scan: TransactionScan,
  slice: TransactionSlice,
  order: TransactionOrder,
): Condition[] {
  return [
    ...(scan.keepPlan ? [openedWithin('t.lt', scan.lt)] : ltConditions(sql`t.lt`, scan.lt)),
    ...timeConditions(sql`t.now`, scan.time),
    ...scan.conditions,
    ...(slice.after ? [afterPosition(slice.after, order, slice.sort)] : []),
  ]
}

/** The subquery `t` for a list of one account by lt. */
export function scanOfAccount(account: AccountId, scan: TransactionScan, slice: TransactionSlice): Condition {
  const { after, sort } = slice
  const limit = slice.limit + slice.offset
  const lt = after ? notBefore(scan.lt, after, sort) : scan.lt
  const conditions = [...timeConditions(sql`t.now`, scan.time), ...scan.conditions]
  if (after) conditions.push(isAfter(after, sort))
  return alongActivity(
    { account, sort, limit },
    sql`select * from transactions t
      where t.account_id = ${account} and ${withinActive('t.lt', lt)} and ${all(conditions)}
      order by t.lt ${direction(sort)} limit ${limit}`,
  )
}

/** The part of a range that is not before a position in the order by lt. */
export const notBefore = ({ from, to }: LtRange, { lt }: TransactionKey, sort: Sort): LtRange =>
  sort === 'asc' ? { from: later(from, lt), to } : { from, to: earlier(to, lt) }

const isAfter = (after: TransactionKey, sort: Sort): Condition =>
  sql`(t.lt ${beyond(sort)} ${after.lt} or (t.lt = ${after.lt} and t.account_id > ${after.account_id}))`

/** Rows after a position. The first comparison is the one that an index can use. */
export function afterPosition(after: TransactionKey, order: TransactionOrder, sort: Sort): Condition {
  const byLt = isAfter(after, sort)
  if (order === 'lt') return sql`t.lt ${beyondOrAt(sort)} ${after.lt} and ${byLt}`
  return sql`t.now ${beyondOrAt(sort)} ${after.now} and (t.now ${beyond(sort)} ${after.now} or ${byLt})`
}
