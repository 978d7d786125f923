import type { Db } from '@shardwalk/db'
import { ALL_LT, type Page, rangeOf, readPage, type SortedPageRequest } from '../idiom/index.ts'
import {
  accountOf,
  crossedLists,
  keysByHash,
  type MessageFilter,
  messageConditions,
  messageKey,
  messagesWithBody,
  namesOneList,
  type Side,
} from '../messages/index.ts'
import { readNewest } from './by-newest-messages.ts'
import { orderOf, selectTransactions, type TransactionFilter } from './list-transactions.ts'
import { findMessages, resolveMessages } from './look-up-messages.ts'
import { type ByMessage, MANY_MESSAGES } from './message-criteria.ts'
import { EVERYTHING, openedForFirst, scanTransactions, selectFirstByTime } from './scan-by-message.ts'
import { TRANSACTION_CURSOR, type TransactionRow, type TransactionSlice } from './transaction-rows.ts'
import { keysOfMessages } from './transactions-of-messages.ts'

/** Of what an account sent or received, or of an opcode: an index has it in the order of lt. */
const isOneList = (message: MessageFilter): boolean =>
  namesOneList(message) && (accountOf(message) !== undefined || message.opcode !== undefined)

/** A message, and the end of it whose transactions are selected; both when no side is given. */
export interface ByMessageFilter {
  readonly message: MessageFilter
  readonly side?: Side | undefined
  /** Of these transactions only. */
  readonly among?: TransactionFilter | undefined
}

/**
 * Transactions that received or sent a message, without duplicates, in the order of `listTransactions`, and
 * with its errors. Index: `readByMessage`.
 */
export async function listTransactionsByMessage(
  db: Db,
  { message, side, among = {} }: ByMessageFilter,
  page: SortedPageRequest,
): Promise<Page<TransactionRow>> {
  const { bodyHash, hashes } = message
  const order = orderOf(among)
  const selected = await selectTransactions(db, among)
  const keys = hashes && (await keysByHash(db, hashes))
  const conditions = keys?.length === 0 ? undefined : messageConditions(message, keys)
  const found = await readPage(page, { cursor: TRANSACTION_CURSOR, by: order }, async (slice) => {
    if (!conditions || !selected) return []
    const keepPlan = namesOneList(message) || (conditions.length === 1 && !hashes)
    const account = hashes ? undefined : accountOf(message)
    const lt = keys ? rangeOf(keys.map((key) => key.lt)) : ALL_LT
    const lists = crossedLists(message)
    const isListed = !bodyHash && (lists.length > 0 || isOneList(message))
    const by = { conditions, lists, isListed, account, lt, side, keepPlan, bodyHash }
    return readByMessage(db, { ...by, selected, order }, slice)
  })
  if (!bodyHash || !conditions) return found
  return { ...found, rows: await withBody(db, found.rows, { bodyHash, conditions, side }) }
}

/**
 * Removes transactions that a scan found by the stored 8 bytes of a different body's hash: the message with
 * the body has to be the one with the other conditions.
 */
async function withBody(
  db: Db,
  rows: readonly TransactionRow[],
  { side, ...by }: Pick<ByMessage, 'conditions' | 'side'> & { readonly bodyHash: Buffer },
): Promise<readonly TransactionRow[]> {
  const keys = rows.map((row) => keysOfMessages(row, side))
  const found = await messagesWithBody(db, keys.flat(), by)
  const has = new Set(found.map((key) => messageKey(key.account_id, key.lt)))
  return rows.filter((_, at) => keys[at]!.some((key) => has.has(messageKey(key.account_id, key.lt))))
}

/** Up to this number, the messages of a filter are looked up and sorted at once. */
const FEW_MESSAGES = 300
/** Beyond it, this many transactions are searched for them first, which is enough if they are frequent. */
const FIRST_LOOK = 2000
/**
 * Distinct transactions that received or sent a message with the conditions, in order. A message is received
 * some time after its creation, so no index on messages has this order: few messages are looked up and
 * sorted, many are found by scanning transactions in order. Index: those of messages for the conditions; then
 * transactions primary key and (in_msg_lt), or transactions (lt) and the primary key of messages.
 */
async function readByMessage(
  db: Db,
  by: ByMessage,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  const newest = await readNewest(db, by, slice)
  if (newest) return newest
  const few = await findMessages(db, by, FEW_MESSAGES + 1)
  if (few.length <= FEW_MESSAGES) return resolveMessages(db, few, by, slice)
  if (by.selected.small) return scanTransactions(db, by, slice, EVERYTHING)
  if (by.order === 'lt') {
    const first = await openedForFirst(db, slice, FIRST_LOOK)
    const found = await scanTransactions(db, by, slice, { ...first, atMost: FIRST_LOOK })
    if (found.length === slice.limit) return found
  }
  const many = await findMessages(db, by, MANY_MESSAGES + 1)
  if (many.length <= MANY_MESSAGES) return resolveMessages(db, many, by, slice)
  const selected = by.order === 'lt' ? by.selected : await selectFirstByTime(db, by, slice)
  return scanTransactions(db, { ...by, selected }, slice, EVERYTHING)
}
