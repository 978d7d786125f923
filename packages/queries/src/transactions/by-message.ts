import type { Db } from '@shardwalk/db'
import { type Page, readPage, type SortedPageRequest } from '../idiom/index.ts'
import {
  keysByHash,
  type MessageKey,
  messageConditions,
  messageKey,
  messagesWithBody,
} from '../messages/index.ts'
import { type Reader, readerOfAccounts } from './by-message-of-accounts.ts'
import { readNewest } from './by-newest-messages.ts'
import { orderOf, selectTransactions } from './list-transactions.ts'
import { findMessages, resolveMessages } from './look-up-messages.ts'
import {
  type ByMessage,
  type ByMessageFilter,
  criteriaOf,
  FEW_MESSAGES,
  FIRST_LOOK,
  MANY_MESSAGES,
} from './message-criteria.ts'
import { EVERYTHING, openedForFirst, scanTransactions, selectFirstByTime } from './scan-by-message.ts'
import { TRANSACTION_CURSOR, type TransactionRow, type TransactionSlice } from './transaction-rows.ts'
import { keysOfMessages } from './transactions-of-messages.ts'

/**
 * Transactions that received or sent a message, without duplicates, in the order of `listTransactions`, and
 * with its errors. Index: `readByMessage`, `readOfAccount`.
 */
export async function listTransactionsByMessage(
  db: Db,
  filter: ByMessageFilter,
  page: SortedPageRequest,
): Promise<Page<TransactionRow>> {
  const { message, side, among = {} } = filter
  const { bodyHash, hashes } = message
  const order = orderOf(among)
  const keys = hashes && (await keysByHash(db, hashes))
  const conditions = keys?.length === 0 ? undefined : messageConditions(message, keys)
  const whole = await readerOf(db, filter, keys)
  const ofAccounts = conditions && (await readerOfAccounts(db, filter))
  const found = await readPage(page, { cursor: TRANSACTION_CURSOR, by: order }, (slice) =>
    ofAccounts && slice.offset <= DEEP ? ofAccounts(slice) : whole(slice),
  )
  if (!bodyHash || !conditions) return found
  return { ...found, rows: await withBody(db, found.rows, { bodyHash, conditions, side }) }
}

/** Beyond it, lists of several accounts are not read for each of them. */
const DEEP = 1000

async function readerOf(
  db: Db,
  { message, side, among = {} }: ByMessageFilter,
  keys: readonly MessageKey[] | undefined,
): Promise<Reader> {
  const selected = await selectTransactions(db, among)
  const criteria = keys?.length === 0 ? undefined : criteriaOf(message, side, keys)
  return async (slice) =>
    criteria && selected ? readByMessage(db, { ...criteria, selected, order: orderOf(among) }, slice) : []
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
