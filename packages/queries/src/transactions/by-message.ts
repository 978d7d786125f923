import type { Db } from '@shardwalk/db'
import { MAX_OUT_MESSAGES } from '@shardwalk/model'
import { sql } from 'kysely'
import { ltRangeOfTime } from '../blocks/index.ts'
import {
  ALL_LT,
  all,
  type Condition,
  direction,
  earlier,
  hasTime,
  KEEP_PLAN,
  type LtRange,
  ltConditions,
  openedWithin,
  type Page,
  rangeOf,
  readPage,
  type Sort,
  type SortedPageRequest,
  statement,
  type TimeRange,
  timeConditions,
  timesAfter,
  timesUpTo,
  withKey,
} from '../idiom/index.ts'
import {
  accountOf,
  beforeMessage,
  crossedLists,
  keysByHash,
  listCrossing,
  type MessageFilter,
  type MessageKey,
  type MessageList,
  messageConditions,
  messageKey,
  messagesWithBody,
  namesOneList,
  receivedLater,
  receivedSoon,
  type Side,
  wasSentBy,
} from '../messages/index.ts'
import { alongActivity, fromFirstPartitions, readingRows, withinActive } from '../partitions/index.ts'
import { transactionsByHash, transactionsByKeys } from './find-transactions.ts'
import { orderOf, type Selected, selectTransactions, type TransactionFilter } from './list-transactions.ts'
import {
  compareKeys,
  TRANSACTION_COLUMNS,
  TRANSACTION_CURSOR,
  TRANSACTION_TYPES,
  type TransactionOrder,
  type TransactionRow,
  type TransactionSlice,
} from './transaction-rows.ts'
import { afterPosition, notBefore } from './transaction-scan.ts'

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
    const by = { conditions, lists: crossedLists(message), account, lt, side, keepPlan, bodyHash }
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

function keysOfMessages(row: TransactionRow, side: Side | undefined): MessageKey[] {
  const { account_id, lt, in_msg_lt } = row
  const received =
    side === 'out' || in_msg_lt === null
      ? []
      : [{ account_id: row.in_msg_account_id ?? account_id, lt: in_msg_lt }]
  const sent = side === 'in' ? 0 : row.out_msg_count
  return [...received, ...Array.from({ length: sent }, (_, n) => ({ account_id, lt: lt + BigInt(n + 1) }))]
}

/** Up to this number, the messages of a filter are looked up and sorted at once. */
const FEW_MESSAGES = 300
/** Beyond it, this many transactions are searched for them first, which is enough if they are frequent. */
const FIRST_LOOK = 2000
/**
 * If that fails, up to this number are looked up after all. Beyond it they are so frequent that a longer scan
 * finds them sooner.
 */
const MANY_MESSAGES = 5000

const MAX_OUT = BigInt(MAX_OUT_MESSAGES)

interface ByMessage {
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
  /** Of which the conditions have the stored part. Messages that are looked up have all of it. */
  readonly bodyHash: Buffer | undefined
  /** The transactions that may have received or sent them. */
  readonly selected: Selected
  readonly order: TransactionOrder
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
  const few = await findMessages(db, by, FEW_MESSAGES + 1)
  if (few.length <= FEW_MESSAGES) return resolveMessages(db, few, by, slice)
  if (by.selected.small) return scanTransactions(db, by, slice, EVERYTHING)
  if (by.order === 'lt') {
    const first = await openedForFirst(db, slice)
    const found = await scanTransactions(db, by, slice, { ...first, atMost: FIRST_LOOK })
    if (found.length === slice.limit) return found
  }
  const many = await findMessages(db, by, MANY_MESSAGES + 1)
  if (many.length <= MANY_MESSAGES) return resolveMessages(db, many, by, slice)
  const selected = by.order === 'lt' ? by.selected : await selectFirstByTime(db, by, slice)
  return scanTransactions(db, { ...by, selected }, slice, EVERYTHING)
}

/** Raw: the conditions are those of any message filter. Index: that of messages for them. */
const FOUND_MESSAGES = statement<MessageKey>('messages of a filter, in no order', {
  account_id: 'int8',
  lt: 'int8',
})

async function findMessages(
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

/**
 * Raw: materialised, so that each message is looked up by its keys, with a kept plan. Index: transactions
 * primary key, (in_msg_lt).
 */
const ENDS = statement<EndOfMessage>('transactions at the ends of found messages', {
  account_id: 'int8',
  lt: 'int8',
  destination_id: 'int8',
  end_account_id: 'int8',
  end_lt: 'int8',
})

/** A message and the key of a transaction at one end; null if none received it soon. */
interface EndOfMessage extends MessageKey {
  readonly destination_id: bigint | null
  readonly end_account_id: bigint | null
  readonly end_lt: bigint | null
}

/** Raw: an array of keys with a kept plan. Index: primary key. */
const OF_MESSAGES = statement<TransactionRow>('transactions of found messages', TRANSACTION_TYPES)

async function resolveMessages(
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

function sortedBy(order: TransactionOrder, sort: Sort): Condition {
  const byLt = sql`t.lt ${direction(sort)}, t.account_id`
  return order === 'lt' ? byLt : sql`t.now ${direction(sort)}, ${byLt}`
}

/** Keys of the transactions at these ends of the messages. */
async function endsOf(
  db: Db,
  messages: readonly MessageKey[],
  side: Side | undefined,
): Promise<readonly MessageKey[]> {
  if (messages.length === 0) return []
  const lts = messages.map((key) => key.lt)
  const ends = []
  if (side !== 'out') ends.push(OWN_RECEIVERS, receivers(rangeOf(lts)))
  if (side !== 'in') ends.push(senders(rangeOf(lts)))
  const rows = await ENDS.rows(
    db,
    sql`
    ${KEEP_PLAN} with found as materialized (
      select m.account_id, m.lt, m.destination_id, m.kind = 1 or m.flags & 8 <> 0 as unsent
      from unnest(${messages.map((key) => key.account_id)}::int8[], ${lts}::int8[]) as k(account_id, lt)
      cross join lateral (${withKey('messages', 'k', lts)}) m
    )
    ${sql.join(ends, sql` union all `)}`,
  )
  const late = await receivedLater(
    db,
    rows.filter((row) => row.end_lt === null),
  )
  return [
    ...rows.flatMap(({ end_account_id: account_id, end_lt: lt }) =>
      account_id === null || lt === null ? [] : [{ account_id, lt }],
    ),
    ...late.map((row) => ({ account_id: row.received_by, lt: row.received_lt })),
  ]
}

const MESSAGE = sql.raw('f.account_id, f.lt, f.destination_id')
const OWN_RECEIVERS = sql`
  select ${MESSAGE}, f.account_id as end_account_id, f.lt as end_lt from found f where f.unsent`
const receivers = (range: LtRange) => sql`
  select ${MESSAGE}, r.account_id as end_account_id, r.lt as end_lt from found f
  left join lateral (${receivedSoon('f', 't.account_id, t.lt', range)}) r on true
  where not f.unsent and f.destination_id is not null`
const senders = (range: LtRange) => sql`
  select ${MESSAGE}, s.account_id as end_account_id, s.lt as end_lt from found f
  cross join lateral (${beforeMessage('f', 't.account_id, t.lt, t.out_msg_count', range)}) s
  where not f.unsent and ${wasSentBy('s', 'f')}`

interface Reach {
  /** Of the last transaction; null if there is none. */
  readonly lt: bigint | null
  /** The least lt of a message that one of them received. */
  readonly sent: bigint | null
  readonly count: number
}

const NOTHING: Reach = { lt: null, sent: null, count: 0 }

/** `other` follows. */
const joined = (one: Reach, other: Reach): Reach => ({
  lt: other.lt ?? one.lt,
  sent: one.sent === null || other.sent === null ? (one.sent ?? other.sent) : earlier(one.sent, other.sent),
  count: one.count + other.count,
})

/** Raw: a scan that stops early, with a kept plan. Index: transactions (lt). */
const REACH = statement<Reach>('how far the first transactions by lt reach', {
  lt: 'int8',
  sent: 'int8',
  count: 'int4',
})

/** Ranges of lt, outside of which no partition is opened. */
interface Opened {
  readonly transactions: LtRange
  /** Of the messages that these received and sent. */
  readonly messages: LtRange
}

const EVERYTHING: Opened = { transactions: ALL_LT, messages: ALL_LT }

/** Where the first `FIRST_LOOK` transactions after the cursor are, with their messages. */
async function openedForFirst(db: Db, { sort, after }: TransactionSlice): Promise<Opened> {
  const whole = after ? notBefore(ALL_LT, after, sort) : ALL_LT
  const read = async (part: LtRange, before: Reach = NOTHING) => {
    const last = sort === 'asc' ? sql`max(t.lt)` : sql`min(t.lt)`
    const [row] = await REACH.rows(
      db,
      sql`${KEEP_PLAN} select ${last} as lt, min(t.in_msg_lt) as sent, count(*)::int as count from (
        select t.lt, t.in_msg_lt from transactions t where ${openedWithin('t.lt', part)}
        order by t.lt ${direction(sort)} limit ${FIRST_LOOK - before.count}) t`,
    )
    return joined(before, row!)
  }
  const isEnough = ({ count }: Reach) => count === FIRST_LOOK
  const { lt, sent } = await fromFirstPartitions(db, { lt: whole, sort }, { read, isEnough })
  if (lt === null) return EVERYTHING
  const { from, to } = sort === 'asc' ? { from: whole.from, to: lt } : { from: lt, to: whole.to }
  const messages = { from: earlier(from, sent ?? from), to: earlier(to, ALL_LT.to - MAX_OUT) + MAX_OUT }
  return { transactions: { from, to }, messages }
}

/** Raw: a scan that stops early, with a kept plan. Index: transactions (lt), primary key of messages. */
const SCANNED = statement<TransactionRow>('transactions whose messages match', TRANSACTION_TYPES)

/**
 * Scans transactions in order and keeps those that match; `atMost` bounds the scan. `offset 0` makes
 * PostgreSQL look up the message of each transaction instead of joining all messages with all transactions.
 */
async function scanTransactions(
  db: Db,
  by: ByMessage,
  slice: TransactionSlice,
  { atMost, ...opened }: Opened & { readonly atMost?: number },
): Promise<readonly TransactionRow[]> {
  const matches = hasMessage(by, opened.messages)
  const after = slice.after ? afterPosition(slice.after, by.order, slice.sort) : sql`true`
  const scanned = sql`${after} and ${openedWithin('t.lt', opened.transactions)}`
  const order = sortedBy(by.order, slice.sort)
  const { conditions } = by.selected
  const keep = conditions.length === 0 ? KEEP_PLAN : sql``
  const from = atMost
    ? sql`(select * from transactions t where ${scanned} order by ${order} limit ${atMost}) t
        where ${all([matches, ...conditions])}`
    : sql`transactions t where ${all([matches, scanned, ...conditions])}`
  return SCANNED.rows(
    db,
    sql`
    ${keep} select ${TRANSACTION_COLUMNS} from ${from} order by ${order}
    limit ${slice.limit} offset ${slice.offset}`,
  )
}

/** Condition on the table aliased `t`. `range`: of the messages that are looked up. */
function hasMessage({ conditions, side }: ByMessage, range: LtRange): Condition {
  // Keys first, whatever the conditions: the index of a frequent body would be read for each transaction.
  const among = (keys: string) => sql`exists (
    select 1 from (select * from messages x
      where ${sql.raw(keys)} and ${openedWithin('x.lt', range)} offset 0) m
    where ${all(conditions)} offset 0)`
  const received = among('x.account_id = coalesce(t.in_msg_account_id, t.account_id) and x.lt = t.in_msg_lt')
  const sent = among('x.account_id = t.account_id and x.lt between t.lt + 1 and t.lt + t.out_msg_count')
  return side === 'in' ? received : side === 'out' ? sent : sql`(${received} or ${sent})`
}

/** Raw: an aggregate over a scan that stops early. Index: same as `SCANNED`. */
const REACHED = statement<{ readonly count: number; readonly reach: number | null }>(
  'time up to which the first transactions whose messages match reach',
  { count: 'int4', reach: 'int4' },
)

/**
 * The selected transactions without those that are before the page or far behind it in the order by time,
 * which would all be sorted: see `readByTime`.
 */
async function selectFirstByTime(db: Db, by: ByMessage, slice: TransactionSlice): Promise<Selected> {
  const { sort, after } = slice
  const ahead = await withinTime(db, by.selected, timesAfter(after?.now, sort))
  const needed = slice.limit + slice.offset
  const conditions = [...ahead.conditions, ...(after ? [afterPosition(after, 'time', sort)] : [])]
  const last = sort === 'asc' ? sql`max(x.now)` : sql`min(x.now)`
  const [row] = await REACHED.rows(
    db,
    sql`
    select count(*)::int as count, ${last} as reach from (
      select t.now from transactions t where ${all([hasMessage(by, ALL_LT), ...conditions])}
      order by t.lt ${direction(sort)} limit ${needed}) x`,
  )
  const { count, reach } = row!
  return reach === null || count < needed ? ahead : withinTime(db, ahead, timesUpTo(reach, sort))
}

async function withinTime(db: Db, selected: Selected, time: TimeRange): Promise<Selected> {
  if (!hasTime(time)) return selected
  const lt = ltConditions(sql`t.lt`, await ltRangeOfTime(db, time))
  return {
    ...selected,
    conditions: [...selected.conditions, ...lt, ...timeConditions(sql`t.now`, time)],
  }
}

/** The transaction that sent the in message of this one, and those that received its out messages, by lt. */
export async function adjacentTransactions(
  db: Db,
  hash: Buffer,
  side: Side | undefined,
): Promise<readonly TransactionRow[]> {
  const [row] = await transactionsByHash(db, [hash])
  if (!row) return []
  const [received, sent] = [keysOfMessages(row, 'in'), keysOfMessages(row, 'out')]
  const keys = [
    ...(side === 'out' ? [] : await endsOf(db, received, 'out')),
    ...(side === 'in' ? [] : await endsOf(db, sent, 'in')),
  ]
  const distinct = new Map(keys.map((key) => [messageKey(key.account_id, key.lt), key]))
  const found = await transactionsByKeys(db, [...distinct.values()])
  return found.toSorted(compareKeys('lt', 'asc'))
}
