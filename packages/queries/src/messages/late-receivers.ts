import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { KEEP_PLAN, rangeOf, statement } from '../idiom/index.ts'
import { receivedLate } from './message-ends.ts'
import type { MessageKey, MessageRow } from './message-rows.ts'

/** A message that an account sent to another. */
export type SentMessage = Pick<MessageRow, 'account_id' | 'lt' | 'destination_id'>

/** The key of a message, and the transaction that received it. */
export interface ReceivedMessage extends MessageKey {
  readonly received_by: bigint
  readonly received_lt: bigint
  readonly hash: Buffer
}

/** Raw: one look-up per message, with a kept plan. Index: transactions (in_msg_lt). */
const LATE = statement<ReceivedMessage>('transactions that received messages late', {
  account_id: 'int8',
  lt: 'int8',
  received_by: 'int8',
  received_lt: 'int8',
  hash: 'bytea',
})

/**
 * Which of the messages that were not received soon were received later. A statement of its own, because it
 * opens all later partitions, and few messages need it.
 */
export async function receivedLater(
  db: Db,
  messages: readonly SentMessage[],
): Promise<readonly ReceivedMessage[]> {
  if (messages.length === 0) return []
  const lts = messages.map((message) => message.lt)
  return LATE.rows(
    db,
    sql`
    ${KEEP_PLAN} select k.account_id, k.lt, k.destination_id as received_by, t.lt as received_lt, t.hash
    from unnest(${messages.map((message) => message.account_id)}::int8[], ${lts}::int8[],
      ${messages.map((message) => message.destination_id)}::int8[]) as k(account_id, lt, destination_id)
    cross join lateral (${receivedLate('k', 't.lt, t.hash', rangeOf(lts))}) t`,
  )
}
