import type { Db } from '@shardwalk/db'
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
  statement,
  type TimeRange,
  timeConditions,
  timesAfter,
  timesUpTo,
} from '../idiom/index.ts'
import { fromFirstPartitions } from '../partitions/index.ts'
import type { Selected } from './list-transactions.ts'
import { type ByMessage, sentUntil, sortedBy } from './message-criteria.ts'
import {
  TRANSACTION_COLUMNS,
  TRANSACTION_TYPES,
  type TransactionRow,
  type TransactionSlice,
} from './transaction-rows.ts'
import { afterPosition, notBefore } from './transaction-scan.ts'

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

/** No bounds. */
export const EVERYTHING: Opened = { transactions: ALL_LT, messages: ALL_LT }

/** Where the first `wanted` transactions after the cursor are, with their messages. */
export async function openedForFirst(
  db: Db,
  { sort, after }: TransactionSlice,
  wanted: number,
): Promise<Opened> {
  const whole = after ? notBefore(ALL_LT, after, sort) : ALL_LT
  const read = async (part: LtRange, before: Reach = NOTHING) => {
    const last = sort === 'asc' ? sql`max(t.lt)` : sql`min(t.lt)`
    const [row] = await REACH.rows(
      db,
      sql`${KEEP_PLAN} select ${last} as lt, min(t.in_msg_lt) as sent, count(*)::int as count from (
        select t.lt, t.in_msg_lt from transactions t where ${openedWithin('t.lt', part)}
        order by t.lt ${direction(sort)} limit ${wanted - before.count}) t`,
    )
    return joined(before, row!)
  }
  const isEnough = ({ count }: Reach) => count === wanted
  const { lt, sent } = await fromFirstPartitions(db, { lt: whole, sort }, { read, isEnough })
  if (lt === null) return EVERYTHING
  const { from, to } = sort === 'asc' ? { from: whole.from, to: lt } : { from: lt, to: whole.to }
  const messages = { from: earlier(from, sent ?? from), to: sentUntil(to) }
  return { transactions: { from, to }, messages }
}

/** Raw: a scan that stops early, with a kept plan. Index: transactions (lt), primary key of messages. */
const SCANNED = statement<TransactionRow>('transactions whose messages match', TRANSACTION_TYPES)

/**
 * Scans transactions in order and keeps those that match; `atMost` bounds the scan. `offset 0` makes
 * PostgreSQL look up the message of each transaction instead of joining all messages with all transactions.
 */
export async function scanTransactions(
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
export function hasMessage(
  { conditions, side }: Pick<ByMessage, 'conditions' | 'side'>,
  range: LtRange,
): Condition {
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
export async function selectFirstByTime(db: Db, by: ByMessage, slice: TransactionSlice): Promise<Selected> {
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
