import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { all, statement } from '../idiom/index.ts'
import { messageConditions } from '../messages/index.ts'

/** A transaction that belongs to a trace. */
export interface TransactionPlace {
  readonly trace_id: Buffer
  /** Hash of the transaction. */
  readonly hash: Buffer
}

const PLACE_TYPES = { trace_id: 'bytea', hash: 'bytea' } as const

/** Raw: the function follows the pieces of a trace. Index: transactions (hash). */
const BY_HASH = statement<TransactionPlace>('traces of transactions', PLACE_TYPES)

/** The transactions with these hashes. */
export const placesOfTransactions = (
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly TransactionPlace[]> =>
  BY_HASH.rows(
    db,
    sql`
    select trace_id_of(t.piece) as trace_id, t.hash from transactions t
    where t.hash = any(${hashes}::bytea[])`,
  )

/**
 * Raw: each message found is looked up by its keys. Index: messages (hash), (hash_norm); transactions
 * (in_msg_lt).
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
  const conditions = all(messageConditions({ hashes })!)
  return OF_MESSAGES.rows(
    db,
    sql`
    with found as materialized (
      select m.account_id, m.lt, m.destination_id, m.kind = 1 or m.flags & 8 <> 0 as unsent
      from messages m where ${conditions}
    )
    select trace_id_of(ends.piece) as trace_id, ends.hash from (
      select t.piece, t.hash from found f
        join transactions t on t.account_id = f.account_id and t.lt = f.lt where f.unsent
      union select t.piece, t.hash from found f join transactions t
        on t.in_msg_lt = f.lt and t.in_msg_account_id = f.account_id and t.account_id = f.destination_id
        where not f.unsent
      union select s.piece, s.hash from found f cross join lateral (
        select t.piece, t.hash, t.lt, t.out_msg_count from transactions t
        where t.account_id = f.account_id and t.lt < f.lt order by t.lt desc limit 1
      ) s where not f.unsent and s.lt + s.out_msg_count >= f.lt
    ) ends`,
  )
}
