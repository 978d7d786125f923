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

/** The transactions with these hashes. Index: transactions (hash). */
export async function placesOfTransactions(
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly TransactionPlace[]> {
  const rows = await db
    .selectFrom('transactions')
    .select(['trace_id', 'hash'])
    .where(sql<boolean>`hash = any(${hashes}::bytea[])`)
    .execute()
  return rows.flatMap(({ trace_id, hash }) => (trace_id ? [{ trace_id, hash }] : []))
}

/**
 * Raw: each message found is looked up by its keys. Index: messages (hash), (hash_norm); transactions
 * (in_msg_lt).
 */
const OF_MESSAGES = statement<{ readonly trace_id: Buffer | null; readonly hash: Buffer }>(
  'traces of transactions at the ends of messages',
  { trace_id: 'bytea', hash: 'bytea' },
)

/** Transactions that sent or received these messages, by hash or normalised hash. */
export async function placesOfMessages(
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly TransactionPlace[]> {
  const conditions = all(messageConditions({ hashes })!)
  const rows = await OF_MESSAGES.rows(
    db,
    sql`
    with found as materialized (
      select m.account_id, m.lt, m.destination_id, m.kind = 1 or m.flags & 8 <> 0 as unsent
      from messages m where ${conditions}
    )
    select t.trace_id, t.hash from found f
      join transactions t on t.account_id = f.account_id and t.lt = f.lt where f.unsent
    union select t.trace_id, t.hash from found f join transactions t
      on t.in_msg_lt = f.lt and t.in_msg_account_id = f.account_id and t.account_id = f.destination_id
      where not f.unsent
    union select s.trace_id, s.hash from found f cross join lateral (
      select t.trace_id, t.hash, t.lt, t.out_msg_count from transactions t
      where t.account_id = f.account_id and t.lt < f.lt order by t.lt desc limit 1
    ) s where not f.unsent and s.lt + s.out_msg_count >= f.lt`,
  )
  return rows.flatMap(({ trace_id, hash }) => (trace_id ? [{ trace_id, hash }] : []))
}
