import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { ALL_LT, all, KEEP_PLAN, openedWithin, statement, withKey } from '../idiom/index.ts'
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
  { keepPlan, ...by }: ByMessage,
  atMost: number,
): Promise<readonly MessageKey[]> {
  const { conditions, lists } = by
  if (lists.length > 0) return listCrossing(db, { lt: ALL_LT, conditions, lists }, 'desc', atMost)
  const read = (found: RawBuilder<unknown>) =>
    FOUND_MESSAGES.rows(db, sql`${keepPlan ? KEEP_PLAN : sql``} ${found}`)
  return fromNewestPartitions(db, by, { order: sql``, atMost }, read)
}

/** Keys of up to `atMost` messages, from the newest partitions first. `read`: those of a subquery. */
export const fromNewestPartitions = (
  db: Db,
  { account, conditions, lt }: Pick<ByMessage, 'account' | 'conditions' | 'lt'>,
  { order, atMost }: { readonly order: RawBuilder<unknown>; readonly atMost: number },
  read: (found: RawBuilder<unknown>) => Promise<readonly MessageKey[]>,
): Promise<readonly MessageKey[]> =>
  fromFirstPartitions(
    db,
    { account, lt, sort: 'desc' },
    readingRows({ limit: atMost, offset: 0 }, (part, { limit }) => {
      const within = account === undefined ? openedWithin('m.lt', part) : withinActive('m.lt', part)
      const rows = sql`select m.account_id, m.lt from messages m where ${all([...conditions, within])}
        ${order} limit ${limit}`
      return read(account === undefined ? rows : alongActivity({ account, sort: 'desc', limit }, rows))
    }),
  )

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
