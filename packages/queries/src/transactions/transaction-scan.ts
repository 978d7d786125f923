import { sql } from 'kysely'
import {
  beyond,
  beyondOrAt,
  type Condition,
  type LtRange,
  ltConditions,
  type Sort,
  type TimeRange,
  timeConditions,
} from '../idiom/index.ts'
import type { TransactionKey, TransactionOrder, TransactionSlice } from './transaction-rows.ts'

export interface TransactionScan {
  readonly lt: LtRange
  readonly time: TimeRange
  /** Conditions on the table aliased `t`. */
  readonly conditions: readonly Condition[]
  /** The conditions have one account or none, so that the choice of the index does not depend on values. */
  readonly keepPlan?: boolean
}

/** All conditions on the rows of a slice, on the table aliased `t`. */
export function scanConditions(
  scan: TransactionScan,
  slice: TransactionSlice,
  order: TransactionOrder,
): Condition[] {
  return [
    ...ltConditions(sql`t.lt`, scan.lt),
    ...timeConditions(sql`t.now`, scan.time),
    ...scan.conditions,
    ...(slice.after ? [afterPosition(slice.after, order, slice.sort)] : []),
  ]
}

/** Rows after a position. The first comparison is the one that an index can use. */
export function afterPosition(after: TransactionKey, order: TransactionOrder, sort: Sort): Condition {
  const byLt = sql`(t.lt ${beyond(sort)} ${after.lt}
    or (t.lt = ${after.lt} and t.account_id > ${after.account_id}))`
  if (order === 'lt') return sql`t.lt ${beyondOrAt(sort)} ${after.lt} and ${byLt}`
  return sql`t.now ${beyondOrAt(sort)} ${after.now} and (t.now ${beyond(sort)} ${after.now} or ${byLt})`
}
