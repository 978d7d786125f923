import { sql } from 'kysely'
import {
  beyond,
  beyondOrAt,
  type Condition,
  type LtRange,
  type Sort,
  type TimeRange,
  timeConditions,
} from '../idiom/index.ts'
import type { TransactionKey, TransactionOrder, TransactionSlice } from './transaction-rows.ts'

export interface TransactionScan {
  readonly lt: LtRange
  readonly time: TimeRange
  /** Over the table `t`. */
  readonly conditions: readonly Condition[]
  /** The conditions name one account or nothing: the index to walk does not depend on values. */
  readonly keepPlan?: boolean
}

/** Everything that the rows of a slice fulfil, over the table `t`. */
export function scanConditions(
  scan: TransactionScan,
  slice: TransactionSlice,
  order: TransactionOrder,
): Condition[] {
  return [
    sql`t.lt between ${scan.lt.from} and ${scan.lt.to}`,
    ...timeConditions(sql`t.now`, scan.time),
    ...scan.conditions,
    ...(slice.after ? [afterPosition(slice.after, order, slice.sort)] : []),
  ]
}

/** Rows that follow a position. The first comparison is what an index can use. */
export function afterPosition(after: TransactionKey, order: TransactionOrder, sort: Sort): Condition {
  const byLt = sql`(t.lt ${beyond(sort)} ${after.lt} or (t.lt = ${after.lt} and t.account_id > ${after.account_id}))`
  if (order === 'lt') return sql`t.lt ${beyondOrAt(sort)} ${after.lt} and ${byLt}`
  return sql`t.now ${beyondOrAt(sort)} ${after.now} and (t.now ${beyond(sort)} ${after.now} or ${byLt})`
}
