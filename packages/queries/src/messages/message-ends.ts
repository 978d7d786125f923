import { MAX_OUT_MESSAGES } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { ALL_LT, type Condition, earlier, type LtRange, openedWithin } from '../idiom/index.ts'

/** Messages arrive within some masterchain blocks, whose lt are 1e6 apart; under load within a hundred. */
const SOON = 100_000_000n

/**
 * Subquery: the account's last transaction before the message `k` (account_id, lt). It is the sender if
 * `wasSentBy`. `range`: of the lt of all messages, if it is known. Index: primary key, in the partition of
 * the message or the one before it.
 */
export const beforeMessage = (k: string, columns: string, range: LtRange = ALL_LT): RawBuilder<unknown> => {
  const opened = openedWithin('t.lt', { from: range.from - BigInt(MAX_OUT_MESSAGES), to: range.to })
  return sql`${sql.raw(`select ${columns} from transactions t
    where t.account_id = ${k}.account_id and t.lt < ${k}.lt and t.lt >= ${k}.lt - ${MAX_OUT_MESSAGES}`)}
      and ${opened} order by t.lt desc limit 1`
}

/** Whether the transaction `s` (lt, out_msg_count) of its account sent the message `k`. */
export const wasSentBy = (s: string, k: string): RawBuilder<unknown> =>
  sql.raw(`${s}.lt + ${s}.out_msg_count >= ${k}.lt`)

/**
 * Subquery: the transaction that received the message `k` (account_id, lt, destination_id), which an account
 * sent. It is mostly a little later; other partitions are searched if it is not. `range`: of the lt of all
 * messages, if it is known. Index: transactions (in_msg_lt).
 */
export const receiverOf = (k: string, columns: string, range: LtRange = ALL_LT): RawBuilder<unknown> =>
  sql`select * from ((${receivedSoon(k, columns, range)}) union all (${receivedLate(k, columns, range)})) t
    limit 1`

/**
 * Same if it is a little later than the message. In this search and the next there is no order, which would
 * make the planner read transactions in it. One bound is an array: of a column between two expressions the
 * planner expects so few rows that it would read them all.
 */
export const receivedSoon = (k: string, columns: string, range: LtRange): RawBuilder<unknown> =>
  received(k, columns, sql.raw(`t.lt > any(array[${k}.lt]) and t.lt <= ${k}.lt + ${SOON}`), {
    from: range.from,
    to: earlier(range.to, ALL_LT.to - SOON) + SOON,
  })

/** Same if it is later than that. All partitions from the first message on are opened. */
export const receivedLate = (k: string, columns: string, range: LtRange): RawBuilder<unknown> =>
  received(k, columns, sql.raw(`t.lt > ${k}.lt + ${SOON}`), {
    from: earlier(range.from, ALL_LT.to - SOON) + SOON,
    to: ALL_LT.to,
  })

const received = (k: string, columns: string, bounds: Condition, opened: LtRange): RawBuilder<unknown> =>
  sql`${sql.raw(`select ${columns} from transactions t
    where t.in_msg_lt = ${k}.lt and t.in_msg_account_id = ${k}.account_id
      and t.account_id + 0 = ${k}.destination_id`)} and ${bounds} and ${openedWithin('t.lt', opened)} limit 1`
