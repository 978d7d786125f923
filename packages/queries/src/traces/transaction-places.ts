import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { KEEP_PLAN, rangeOf, statement, withKey } from '../idiom/index.ts'
import { beforeMessage, keysByHash, receiverOf, wasSentBy } from '../messages/index.ts'
import { hashTypes, type PlaceColumns, withHashes } from '../partitions/index.ts'

/** A transaction that belongs to a trace. */
export interface TransactionPlace {
  readonly trace_id: Buffer
  /** Hash of the transaction. */
  readonly hash: Buffer
}

const PLACE_TYPES = { trace_id: 'bytea', hash: 'bytea' } as const

/** Raw: the function follows the pieces of a trace; a kept plan. Index: transactions (hash). */
const BY_HASH = statement<TransactionPlace & PlaceColumns>('traces of transactions', hashTypes(PLACE_TYPES))

/** The transactions with these hashes. */
export const placesOfTransactions = (
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly TransactionPlace[]> =>
  withHashes<TransactionPlace>(db, hashes, {
    table: 'transactions',
    statement: BY_HASH,
    select: (some, search) => sql`
      select trace_id_of(t.piece) as trace_id, t.hash
      from (select distinct unnest(${some}::bytea[]) as hash) h
      cross join lateral (${search('h.hash')}) t`,
  })

/**
 * Raw: each message found is looked up by its keys, with a kept plan. Index: primary keys;
 * transactions (in_msg_lt).
 */
const OF_MESSAGES = statement<TransactionPlace>('traces of transactions at the ends of messages', {
  trace_id: 'bytea',
  hash: 'bytea',
})

/** Transactions that sent or received these messages, by hash or normalised hash. */
export async function placesOfMessages(
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly TransactionPlace[]> {
  const keys = await keysByHash(db, hashes)
  if (keys.length === 0) return []
  const [accounts, lts] = [keys.map((key) => key.account_id), keys.map((key) => key.lt)]
  const range = rangeOf(lts)
  return OF_MESSAGES.rows(
    db,
    sql`
    ${KEEP_PLAN} with found as materialized (
      select m.account_id, m.lt, m.destination_id, m.kind = 1 or m.flags & 8 <> 0 as unsent
      from unnest(${accounts}::int8[], ${lts}::int8[]) as k(account_id, lt)
      cross join lateral (${withKey('messages', 'k', lts)}) m
    )
    select trace_id_of(ends.piece) as trace_id, ends.hash from (
      select t.piece, t.hash from found f
        cross join lateral (${withKey('transactions', 'f', lts)}) t where f.unsent
      union select r.piece, r.hash from found f
        cross join lateral (${receiverOf('f', 't.piece, t.hash', range)}) r
        where not f.unsent and f.destination_id is not null
      union select s.piece, s.hash from found f
        cross join lateral (${beforeMessage('f', 't.piece, t.hash, t.lt, t.out_msg_count', range)}) s
        where not f.unsent and ${wasSentBy('s', 'f')}
    ) ends`,
  )
}
