import type { Row } from '@shardwalk/db'
import { Cursor, int4, int8, type RowTypes, type Slice, type Sort, selected } from '../idiom/index.ts'

/** What replies show of a transaction, and what leads to its messages. Columns for analytics are left out. */
export const TRANSACTION_TYPES = {
  account_id: 'int8',
  lt: 'int8',
  prev_trans_lt: 'int8',
  total_fees: 'int8',
  in_msg_account_id: 'int8',
  in_msg_lt: 'int8',
  balance_after: 'int8',
  now: 'int4',
  mc_block_seqno: 'int4',
  block_seqno: 'int4',
  orig_status: 'int2',
  end_status: 'int2',
  shard_len: 'int2',
  out_msg_count: 'int2',
  hash: 'bytea',
  prev_trans_hash: 'bytea',
  state_hash_before: 'bytea',
  state_hash_after: 'bytea',
  trace_id: 'bytea',
  code_hash_after: 'bytea',
  data_hash_after: 'bytea',
  frozen_hash_after: 'bytea',
  description: 'bytea',
  total_fees_extra: 'jsonb',
  extra_currencies_after: 'jsonb',
} as const satisfies Partial<RowTypes<Row<'transactions'>>>

export type TransactionRow = Readonly<Pick<Row<'transactions'>, keyof typeof TRANSACTION_TYPES>>

/** Of the table under the name `t`. */
export const TRANSACTION_COLUMNS = selected('t', TRANSACTION_TYPES)

/** Primary key of a transaction and what lists are ordered by. */
export type TransactionKey = Pick<TransactionRow, 'account_id' | 'lt' | 'now'>

export const KEY_TYPES = {
  account_id: 'int8',
  lt: 'int8',
  now: 'int4',
} as const satisfies RowTypes<TransactionKey>

export const TRANSACTION_CURSOR = new Cursor<TransactionKey>('tx', { now: int4, lt: int8, account_id: int8 })

export type TransactionSlice = Slice<TransactionKey>

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
