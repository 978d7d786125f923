import type { TransactionRow as SchemaRow } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { KEEP_PLAN, type Sort } from './sql.ts'

/** Columns that a reply needs; those for analytics stay where they are. */
export interface TransactionRow extends SchemaRow {
  readonly in_msg_account_id: bigint | null
  readonly in_msg_lt: bigint | null
  readonly out_msg_count: number
}

export const TRANSACTION_COLUMNS = sql.raw(
  `t.account_id, t.lt, t.prev_trans_lt, t.total_fees, t.in_msg_account_id, t.in_msg_lt, t.balance_after, t.now, t.mc_block_seqno,
   t.block_seqno, t.orig_status, t.end_status, t.shard_len, t.out_msg_count, t.hash, t.prev_trans_hash, t.state_hash_before,
   t.state_hash_after, t.trace_id, t.code_hash_after, t.data_hash_after, t.frozen_hash_after, t.description, t.total_fees_extra,
   t.extra_currencies_after`,
) as RawBuilder<unknown>

/** Primary key of a transaction and what lists are ordered by. */
export interface TransactionKey {
  readonly account_id: bigint
  readonly lt: bigint
  readonly now: number
}

/** Orders of lists of transactions: by lt or by time, ties by account, always ascending. */
export type TransactionOrder = 'lt' | 'time'

export function compareKeys(
  order: TransactionOrder,
  sort: Sort,
): (a: TransactionKey, b: TransactionKey) => number {
  const sign = sort === 'asc' ? 1 : -1
  return (a, b) => {
    if (order === 'time' && a.now !== b.now) return (a.now - b.now) * sign
    if (a.lt !== b.lt) return a.lt < b.lt ? -sign : sign
    return a.account_id < b.account_id ? -1 : a.account_id > b.account_id ? 1 : 0
  }
}

/** Complete rows of keys, in the order of the keys. Index: primary key. */
export async function transactionsByKeys(db: Db, keys: readonly TransactionKey[]): Promise<TransactionRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<TransactionRow>`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS}
    from unnest(${keys.map((key) => key.account_id)}::int8[], ${keys.map((key) => key.lt)}::int8[])
      with ordinality as k(account_id, lt, position)
    join transactions t on t.account_id = k.account_id and t.lt = k.lt
    order by k.position`.execute(db)
  return rows
}
