import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { ALL_LT } from '../idiom/index.ts'
import { messageKey } from '../messages/index.ts'
import { resolveMessages } from './look-up-messages.ts'
import { type ByMessage, FAR_MESSAGES, sentUntil } from './message-criteria.ts'
import { newestMessages, receivedFrom } from './newest-messages.ts'
import { compareKeys, type TransactionRow, type TransactionSlice } from './transaction-rows.ts'
import { afterPosition, notBefore } from './transaction-scan.ts'

/**
 * A page is sought at the ends of twice as many messages and these: they are received in another order than
 * they are sent. Those of several lists cost more to find.
 */
const SPARE_MESSAGES = 64
const SPARE_CROSSED = 4

/**
 * The page, if it is at the ends of the newest messages: any other message was sent before these, so that
 * transactions of the page can only have received it, and later than usual. Undefined if they are in another
 * order, or if there are too many messages, or transactions that might have.
 */
export async function readNewest(
  db: Db,
  by: ByMessage,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[] | undefined> {
  const { after, offset, sort } = slice
  if (sort === 'asc' || !isPlain(by)) return undefined
  const needed = offset + slice.limit
  const atMost = by.lists.length > 0 ? needed + SPARE_CROSSED : 2 * needed + SPARE_MESSAGES
  if (atMost > FAR_MESSAGES) return undefined
  const { to } = after ? notBefore(ALL_LT, after, sort) : ALL_LT
  const messages = await newestMessages(db, by, { from: ALL_LT.from, to: sentUntil(to) }, atMost)
  if (messages.length < atMost) return resolveMessages(db, messages, by, slice)
  const rows = await resolveMessages(db, messages, by, { ...slice, limit: needed, offset: 0 })
  const [sent, last] = [messages.at(-1)!.lt, rows[needed - 1]]
  if (!last || last.lt <= sent) return undefined
  const within = {
    lt: { from: last.lt, to },
    sent,
    after: after ? afterPosition(after, 'lt', sort) : sql`true`,
  }
  const late = by.side === 'out' ? [] : await receivedFrom(db, within, by.conditions)
  const keyOf = (row: TransactionRow) => messageKey(row.account_id, row.lt)
  const all = late && [...new Map([...rows, ...late].map((row) => [keyOf(row), row])).values()]
  return all?.sort(compareKeys('lt', sort)).slice(offset, needed)
}

/** All transactions at the ends of listed messages are wanted, in the order of lt. */
const isPlain = ({ isListed, order, selected }: ByMessage): boolean =>
  isListed && order === 'lt' && selected.conditions.length === 0
