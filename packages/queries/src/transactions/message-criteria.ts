import { MAX_OUT_MESSAGES } from '@shardwalk/model'
import { sql } from 'kysely'
import { ALL_LT, type Condition, direction, earlier, type LtRange, type Sort } from '../idiom/index.ts'
import type { MessageList, Side } from '../messages/index.ts'
import type { Selected } from './list-transactions.ts'
import type { TransactionOrder } from './transaction-rows.ts'

/** Which messages, and which of the transactions that received or sent them. */
export interface ByMessage {
  /** Conditions on the table aliased `m`. */
  readonly conditions: readonly Condition[]
  /** The lists whose intersection the conditions select: `crossedLists`. */
  readonly lists: readonly MessageList[]
  /** All messages are of this account. */
  readonly account: bigint | undefined
  /** Of all messages. */
  readonly lt: LtRange
  readonly side: Side | undefined
  /** A single index has them, whatever the values. */
  readonly keepPlan: boolean
  /** They are in one list by lt, or in several. */
  readonly isListed: boolean
  /** Of which the conditions have the stored part. Messages that are looked up have all of it. */
  readonly bodyHash: Buffer | undefined
  /** The transactions that may have received or sent them. */
  readonly selected: Selected
  readonly order: TransactionOrder
}

/**
 * If they are not found otherwise, up to this number are looked up after all. Beyond it they are so frequent
 * that a longer scan finds them sooner.
 */
export const MANY_MESSAGES = 5000

/** Order of the table aliased `t`. */
export function sortedBy(order: TransactionOrder, sort: Sort): Condition {
  const byLt = sql`t.lt ${direction(sort)}, t.account_id`
  return order === 'lt' ? byLt : sql`t.now ${direction(sort)}, ${byLt}`
}

const MAX_OUT = BigInt(MAX_OUT_MESSAGES)

/** The last lt of a message that a transaction of this lt sent. */
export const sentUntil = (lt: bigint): bigint => earlier(lt, ALL_LT.to - MAX_OUT) + MAX_OUT
