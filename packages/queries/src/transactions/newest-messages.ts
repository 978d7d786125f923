import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { all, type Condition, KEEP_PLAN, type LtRange, statement, withKey } from '../idiom/index.ts'
import { listCrossing, type MessageKey, type MessageList } from '../messages/index.ts'
import { fromNewestPartitions } from './look-up-messages.ts'
import { TRANSACTION_COLUMNS, TRANSACTION_TYPES, type TransactionRow } from './transaction-rows.ts'

/** Messages that have one or several lists in common. */
export interface ListedMessages {
  readonly conditions: readonly Condition[]
  readonly lists: readonly MessageList[]
  /** Of all messages, if there is only one list. */
  readonly account: bigint | undefined
}

/** Raw: same as `FOUND_MESSAGES`, in the order of an index. Index: that of messages for the list. */
const NEWEST = statement<MessageKey>('newest messages of a list', { account_id: 'int8', lt: 'int8' })

/** The newest ones in a range, newest first. */
export async function newestMessages(
  db: Db,
  { conditions, lists, account }: ListedMessages,
  lt: LtRange,
  atMost: number,
): Promise<readonly MessageKey[]> {
  if (lists.length > 0) return listCrossing(db, { lt, conditions, lists }, 'desc', atMost)
  const read = (found: RawBuilder<unknown>) =>
    NEWEST.rows(db, sql`${KEEP_PLAN} select * from (${found}) x order by x.lt desc`)
  const by = { account, conditions, lt }
  return fromNewestPartitions(db, by, { order: sql`order by m.lt desc`, atMost }, read)
}

/** A transaction and the message that it received. */
interface Received extends MessageKey {
  readonly sent_by: bigint
  readonly sent_lt: bigint
}

/**
 * Raw: planned for its values, because the index that has fewer rows differs between partitions. Index:
 * transactions (in_msg_lt) or (lt).
 */
const LATE = statement<Received>('transactions that received a message much later', {
  account_id: 'int8',
  lt: 'int8',
  sent_by: 'int8',
  sent_lt: 'int8',
})

/** Raw: an array of keys with a kept plan. Index: primary keys. */
const OF_LATE = statement<TransactionRow>('those whose message matches', TRANSACTION_TYPES)

/** More are not examined. */
const MANY = 1000

/** Where they are, and what they received. */
interface Within {
  readonly lt: LtRange
  /** The message has at most this lt. */
  readonly sent: bigint
  /** On the transaction `t`. */
  readonly after: Condition
}

/** Transactions that received such a message with these conditions. Undefined: too many received any. */
export async function receivedFrom(
  db: Db,
  { lt, sent, after }: Within,
  conditions: readonly Condition[],
): Promise<readonly TransactionRow[] | undefined> {
  const rows = await LATE.rows(
    db,
    sql`
    select t.account_id, t.lt, t.in_msg_account_id as sent_by, t.in_msg_lt as sent_lt
    from transactions t where t.lt >= ${lt.from} and t.lt <= ${lt.to}
      and t.in_msg_lt <= ${sent} and t.in_msg_account_id is not null
    limit ${MANY + 1}`,
  )
  if (rows.length === 0) return []
  if (rows.length > MANY) return undefined
  const lts = rows.map((row) => row.lt)
  const sentLts = rows.map((row) => row.sent_lt)
  return OF_LATE.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS}
    from unnest(${rows.map((row) => row.account_id)}::int8[], ${lts}::int8[],
      ${rows.map((row) => row.sent_by)}::int8[], ${sentLts}::int8[]) as k(account_id, lt, sent_by, sent_lt)
    cross join lateral (select k.sent_by as account_id, k.sent_lt as lt) s
    cross join lateral (${withKey('messages', 's', sentLts)}) m
    cross join lateral (${withKey('transactions', 'k', lts)}) t
    where ${all([...conditions, after])}`,
  )
}
