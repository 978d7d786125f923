import { MAX_OUT_MESSAGES } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  ALL_LT,
  type Condition,
  direction,
  earlier,
  type LtRange,
  rangeOf,
  type Sort,
} from '../idiom/index.ts'
import {
  accountOf,
  crossedLists,
  type MessageFilter,
  type MessageKey,
  type MessageList,
  messageConditions,
  namesOneList,
  type Side,
} from '../messages/index.ts'
import type { Selected, TransactionFilter } from './list-transactions.ts'
import type { TransactionOrder } from './transaction-rows.ts'

/** A message, and the end of it whose transactions are selected; both when no side is given. */
export interface ByMessageFilter {
  readonly message: MessageFilter
  readonly side?: Side | undefined
  /** Of these transactions only. */
  readonly among?: TransactionFilter | undefined
  /** How many transactions of an account are looked through first. Set by tests. */
  readonly firstLook?: number | undefined
}

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

/** What a filter asks of messages; undefined: none can match. `keys`: those of its hashes. */
export function criteriaOf(
  message: MessageFilter,
  side: Side | undefined,
  keys?: readonly MessageKey[],
): Omit<ByMessage, 'selected' | 'order'> | undefined {
  const { bodyHash, hashes } = message
  const conditions = messageConditions(message, keys)
  if (!conditions) return undefined
  const keepPlan = namesOneList(message) || (conditions.length === 1 && !hashes)
  const account = hashes ? undefined : accountOf(message)
  const lt = keys ? rangeOf(keys.map((key) => key.lt)) : ALL_LT
  const lists = crossedLists(message)
  const isListed = !bodyHash && (lists.length > 0 || isOneList(message))
  return { conditions, lists, isListed, account, lt, side, keepPlan, bodyHash }
}

/** Of what an account sent or received, or of an opcode: an index has it in the order of lt. */
const isOneList = (message: MessageFilter): boolean =>
  namesOneList(message) && (accountOf(message) !== undefined || message.opcode !== undefined)

/** Up to this number, the messages of a filter are looked up and sorted at once. */
export const FEW_MESSAGES = 300
/** Beyond it, this many transactions are searched for them first, which is enough if they are frequent. */
export const FIRST_LOOK = 2000
/**
 * If they are not found otherwise, up to this number are looked up after all. Beyond it they are so frequent
 * that a longer scan finds them sooner.
 */
export const MANY_MESSAGES = 5000
/**
 * The same of lists whose newest messages are looked up: a scan up to a far offset passes all transactions
 * between those that match. All rows up to the page are in memory then.
 */
export const FAR_MESSAGES = 10_000

/** Order of the table aliased `t`. */
export function sortedBy(order: TransactionOrder, sort: Sort): Condition {
  const byLt = sql`t.lt ${direction(sort)}, t.account_id`
  return order === 'lt' ? byLt : sql`t.now ${direction(sort)}, ${byLt}`
}

const MAX_OUT = BigInt(MAX_OUT_MESSAGES)

/** The last lt of a message that a transaction of this lt sent. */
export const sentUntil = (lt: bigint): bigint => earlier(lt, ALL_LT.to - MAX_OUT) + MAX_OUT
