import { type AccountId, type Lt, MAX_OUT_MESSAGES } from '@shardwalk/model'
import type { PieceId, PieceLink } from '@shardwalk/traces'
import type pg from 'pg'
import type { OpenMessage } from '../rows/open-traces.ts'
import { queryKept } from '../writing/kept-plans.ts'

/** Messages between shards arrive within a few masterchain blocks, whose lt are 1e6 apart. */
const SOON = 10_000_000

/**
 * Finds the senders of received messages among the stored transactions: the account's last transaction before
 * the message, if the message is one that it sent. Their pieces, by index in `received`; undefined when not
 * indexed. Index: primary key of transactions, in the partitions around the message's lt.
 */
export async function findSenders(
  client: pg.ClientBase,
  received: readonly OpenMessage[],
): Promise<(PieceId | undefined)[]> {
  const senders = new Array<PieceId | undefined>(received.length)
  if (received.length === 0) return senders
  const { rows } = await queryKept<{ place: bigint; piece: PieceId }>(
    client,
    `select k.place, s.piece from unnest($1::int8[], $2::int8[]) with ordinality k(account_id, lt, place)
     cross join lateral (
       select t.piece, t.lt + t.out_msg_count as last_lt from transactions t
       where t.account_id = k.account_id and t.lt < k.lt
         and t.lt >= k.lt - ${MAX_OUT_MESSAGES} order by t.lt desc limit 1
     ) s where s.last_lt >= k.lt`,
    keyColumns(received),
  )
  for (const { place, piece } of rows) senders[Number(place) - 1] = piece
  return senders
}

/**
 * Removes the messages that receivers wrote because their senders were not indexed; the sender's row takes
 * the place. Returns those of `sent` that have a stored receiver. Index: primary key of messages.
 */
export async function takeReceivedMessages(
  client: pg.ClientBase,
  sent: readonly OpenMessage[],
): Promise<OpenMessage[]> {
  if (sent.length === 0) return []
  const { rows } = await client.query<{ account_id: AccountId; lt: Lt }>(
    `delete from messages m using unnest($1::int8[], $2::int8[]) k(account_id, lt)
     where m.account_id = k.account_id and m.lt = k.lt returning m.account_id, m.lt`,
    keyColumns(sent),
  )
  const taken = new Set(rows.map((row) => keyOf(row.account_id, row.lt)))
  return sent.filter(({ accountId, lt }) => taken.has(keyOf(accountId, lt)))
}

/**
 * Links to the stored receivers of sent messages, which are later, mostly by little: other partitions are
 * searched if they are not. Index: transactions (in_msg_lt).
 */
export async function findReceivers(
  client: pg.ClientBase,
  sent: readonly OpenMessage[],
): Promise<PieceLink[]> {
  if (sent.length === 0) return []
  const { rows } = await client.query<{ account_id: AccountId; lt: Lt; piece: PieceId }>(
    `select k.account_id, k.lt, t.piece from unnest($1::int8[], $2::int8[]) k(account_id, lt)
     cross join lateral (
       select * from (${receivedWithin(`t.lt > k.lt and t.lt <= k.lt + ${SOON}`)}
         union all ${receivedWithin(`t.lt > k.lt + ${SOON}`)}) t limit 1
     ) t`,
    keyColumns(sent),
  )
  const pieces = new Map(sent.map((message) => [keyOf(message.accountId, message.lt), message.piece]))
  return rows.map((row) => ({ sender: pieces.get(keyOf(row.account_id, row.lt))!, receiver: row.piece }))
}

const receivedWithin = (bounds: string) => `(select t.piece from transactions t
  where t.in_msg_lt = k.lt and t.in_msg_account_id = k.account_id and ${bounds} limit 1)`

/** Map key of a message. */
export const keyOf = (accountId: AccountId, lt: Lt): string => `${accountId} ${lt}`

const keyColumns = (messages: readonly OpenMessage[]): [AccountId[], Lt[]] => [
  messages.map((message) => message.accountId),
  messages.map((message) => message.lt),
]
