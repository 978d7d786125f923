import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { LISTING_COLUMNS, type ListingRows, PART } from '../address-book/index.ts'
import { named, rangeOf, withKey } from '../idiom/index.ts'
import { newestPartitions } from '../partitions/index.ts'
import { receivedLater } from './late-receivers.ts'
import { beforeMessage, receivedSoon, receiverOf, wasSentBy } from './message-ends.ts'
import { isUnsent, type MessageRow, messageKey } from './message-rows.ts'

/** The transactions at both ends of a message. */
export interface MessageEnds {
  readonly inMsgTxHash?: Buffer
  readonly outMsgTxHash?: Buffer
}

/** Which ends are wanted. */
export interface Sides {
  readonly in: boolean
  readonly out: boolean
}

const OF_CODE = LISTING_COLUMNS(PART.code, { hash: 'c.code_hash', boc: 'c.boc' })
const OF_OWN_RECEIVER = LISTING_COLUMNS(PART.receiver, named('t', 'account_id lt hash'))
const OF_RECEIVER = LISTING_COLUMNS(PART.receiver, { ...named('k', 'account_id lt'), hash: 't.hash' })
const OF_SENDER = LISTING_COLUMNS(PART.sender, { ...named('k', 'account_id lt'), hash: 's.hash' })

/**
 * What a list of messages shows besides their rows: the transactions at both ends and the code, which is
 * stored apart from the state-init. Raw: parts of the statement of `loadListing`. Index: transactions primary
 * key for senders (the newest one before the message) and for receivers of messages without a sender,
 * (in_msg_lt) for all other receivers; primary key of codes.
 */
export async function messageParts(
  db: Db,
  messages: readonly MessageRow[],
  sides: Sides,
): Promise<RawBuilder<unknown>[]> {
  const unsent = messages.filter(isUnsent)
  const sent = messages.filter((message) => !isUnsent(message))
  const received = sent.filter(hasReceiver)
  const codes = messages.flatMap(({ init_code_hash: hash }) => (hash ? [hash] : []))
  const parts: RawBuilder<unknown>[] = []
  if (codes.length > 0)
    parts.push(sql`select ${OF_CODE} from codes c where c.code_hash = any(${codes}::bytea[])`)
  if (sides.in && unsent.length > 0) {
    parts.push(sql`select ${OF_OWN_RECEIVER} from ${keysOf(unsent)} as k(account_id, lt)
      cross join lateral (${withKey('transactions', 'k', ltsOf(unsent))}) t`)
  }
  if (sides.in && received.length > 0) {
    const destinations = received.map((message) => message.destination_id)
    const range = rangeOf(ltsOf(received))
    const receiver = (await areNew(db, received)) ? receiverOf : receivedSoon
    parts.push(sql`select ${OF_RECEIVER}
      from ${keysOf(received, sql`, ${destinations}::int8[]`)} as k(account_id, lt, destination_id)
      cross join lateral (${receiver('k', 't.hash', range)}) t`)
  }
  if (sides.out && sent.length > 0) {
    parts.push(sql`select ${OF_SENDER} from ${keysOf(sent)} as k(account_id, lt)
      cross join lateral (${beforeMessage('k', 't.hash, t.lt, t.out_msg_count', rangeOf(ltsOf(sent)))}) s
      where ${wasSentBy('s', 'k')}`)
  }
  return parts
}

const hasReceiver = ({ destination_id: destination }: MessageRow): boolean => destination !== null

/** Whether all transactions after the messages are in few partitions, in which the receivers may be. */
const areNew = async (db: Db, messages: readonly MessageRow[]): Promise<boolean> =>
  rangeOf(ltsOf(messages)).from >= (await newestPartitions(db))

const ltsOf = (messages: readonly MessageRow[]) => messages.map((row) => row.lt)

const keysOf = (messages: readonly MessageRow[], further: RawBuilder<unknown> = sql``) =>
  sql`unnest(${messages.map((row) => row.account_id)}::int8[],
    ${messages.map((row) => row.lt)}::int8[]${further})`

/** Keyed by `messageKey`. `rows`: what `messageParts` led to. */
export async function loadEnds(
  db: Db,
  messages: readonly MessageRow[],
  { sides, receivers, senders }: Pick<ListingRows, 'receivers' | 'senders'> & { readonly sides: Sides },
): Promise<ReadonlyMap<string, MessageEnds>> {
  const ends = new Map<string, MessageEnds>()
  const add = (row: { account_id: bigint; lt: bigint }, end: MessageEnds) => {
    const key = messageKey(row.account_id, row.lt)
    ends.set(key, { ...ends.get(key), ...end })
  }
  for (const row of receivers) add(row, { inMsgTxHash: row.hash })
  for (const row of senders) add(row, { outMsgTxHash: row.hash })
  const missing = messages.filter(
    (row) => !isUnsent(row) && hasReceiver(row) && !ends.get(messageKey(row.account_id, row.lt))?.inMsgTxHash,
  )
  if (sides.in && !(await areNew(db, missing)))
    for (const row of await receivedLater(db, missing)) add(row, { inMsgTxHash: row.hash })
  return ends
}
