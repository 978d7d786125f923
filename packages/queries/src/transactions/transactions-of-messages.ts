import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { KEEP_PLAN, type LtRange, rangeOf, statement, withKey } from '../idiom/index.ts'
import {
  beforeMessage,
  type MessageKey,
  receivedLater,
  receivedSoon,
  type Side,
  wasSentBy,
} from '../messages/index.ts'
import type { TransactionRow } from './transaction-rows.ts'

/** Keys of the messages that a transaction received (`in`) and sent (`out`). */
export function keysOfMessages(row: TransactionRow, side: Side | undefined): MessageKey[] {
  const { account_id, lt, in_msg_lt } = row
  const received =
    side === 'out' || in_msg_lt === null
      ? []
      : [{ account_id: row.in_msg_account_id ?? account_id, lt: in_msg_lt }]
  const sent = side === 'in' ? 0 : row.out_msg_count
  return [...received, ...Array.from({ length: sent }, (_, n) => ({ account_id, lt: lt + BigInt(n + 1) }))]
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

/** Keys of the transactions at these ends of the messages. */
export async function endsOf(
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
