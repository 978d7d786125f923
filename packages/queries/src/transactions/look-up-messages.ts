import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { ALL_LT, all, KEEP_PLAN, type LtRange, openedWithin, statement, withKey } from '../idiom/index.ts'
import { listCrossing, type MessageKey, messagesWithBody } from '../messages/index.ts'
import { alongActivity, fromFirstPartitions, readingRows, withinActive } from '../partitions/index.ts'
import { type ByMessage, sortedBy } from './message-criteria.ts'
import {
  TRANSACTION_COLUMNS,
  TRANSACTION_TYPES,
  type TransactionRow,
  type TransactionSlice,
} from './transaction-rows.ts'
import { afterPosition } from './transaction-scan.ts'
import { endsOf } from './transactions-of-messages.ts'

/** Raw: the conditions are those of any message filter. Index: that of messages for them. */
const FOUND_MESSAGES = statement<MessageKey>('messages of a filter, in no order', {
  account_id: 'int8',
  lt: 'int8',
})

/** Messages with the conditions, up to `atMost`, in no order. */
export async function findMessages(
  db: Db,
  { account, conditions, lists, lt, keepPlan }: ByMessage,
  atMost: number,
): Promise<readonly MessageKey[]> {
  if (lists.length > 0) return listCrossing(db, { lt: ALL_LT, conditions, lists }, 'desc', atMost)
  const read = (part: LtRange, { limit }: { readonly limit: number }) => {
    const within = account === undefined ? openedWithin('m.lt', part) : withinActive('m.lt', part)
    const rows = sql`
      select m.account_id, m.lt from messages m where ${all([...conditions, within])} limit ${limit}`
    const found = account === undefined ? rows : alongActivity({ account, sort: 'desc', limit }, rows)
    return FOUND_MESSAGES.rows(db, sql`${keepPlan ? KEEP_PLAN : sql``} ${found}`)
  }
  const wanted = { limit: atMost, offset: 0 }
  return fromFirstPartitions(db, { account, lt, sort: 'desc' }, readingRows(wanted, read))
}

/** Raw: an array of keys with a kept plan. Index: primary key. */
const OF_MESSAGES = statement<TransactionRow>('transactions of found messages', TRANSACTION_TYPES)

/** The page of the distinct transactions at the ends of the messages, which are all looked up and sorted. */
export async function resolveMessages(
  db: Db,
  candidates: readonly MessageKey[],
  { side, bodyHash, conditions, selected, order }: ByMessage,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  const messages = bodyHash ? await messagesWithBody(db, candidates, { bodyHash, conditions }) : candidates
  if (messages.length === 0) return []
  const keys = await endsOf(db, messages, side)
  const [accounts, lts] = [keys.map((key) => key.account_id), keys.map((key) => key.lt)]
  const after = slice.after ? afterPosition(slice.after, order, slice.sort) : sql`true`
  return OF_MESSAGES.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS}
    from (select distinct * from unnest(${accounts}::int8[], ${lts}::int8[]) as k(account_id, lt)) k
    cross join lateral (${withKey('transactions', 'k', lts)}) t
    where ${all([after, ...selected.conditions])}
    order by ${sortedBy(order, slice.sort)} limit ${slice.limit} offset ${slice.offset}`,
  )
}
