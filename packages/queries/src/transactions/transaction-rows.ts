import type { Row } from '@shardwalk/db'
import { Cursor, int4, int8, type Slice, type Sort, selected, tableColumns } from '../idiom/index.ts'

/** Columns that replies show and columns that lead to the messages. Columns for analytics are omitted. */
export const TRANSACTION_TYPES = tableColumns(
  'transactions',
  'account_id',
  'lt',
  'piece',
  'prev_trans_lt',
  'total_fees',
  'in_msg_account_id',
  'in_msg_lt',
  'balance_after',
  'now',
  'mc_block_seqno',
  'block_seqno',
  'orig_status',
  'end_status',
  'shard_len',
  'out_msg_count',
  'hash',
  'prev_trans_hash',
  'state_hash_before',
  'state_hash_after',
  'code_hash_after',
  'data_hash_after',
  'frozen_hash_after',
  'description',
  'total_fees_extra',
  'extra_currencies_after',
)

/** A transaction as it is stored; units and encodings as in `docs/schema.md`. */
export type TransactionRow = Readonly<Pick<Row<'transactions'>, keyof typeof TRANSACTION_TYPES>>

/** Columns of the table aliased `t`. */
export const TRANSACTION_COLUMNS = selected('t', TRANSACTION_TYPES)

/** Primary key of a transaction and the columns that order lists. */
export type TransactionKey = Pick<TransactionRow, 'account_id' | 'lt' | 'now'>

/** PostgreSQL types of the columns of `TransactionKey`. */
export const KEY_TYPES = tableColumns('transactions', 'account_id', 'lt', 'now')

/** A place in a list of transactions: time, lt and account. */
export const TRANSACTION_CURSOR = new Cursor<TransactionKey>('tx', { now: int4, lt: int8, account_id: int8 })

export type TransactionSlice = Slice<TransactionKey>

/** Orders of a list of transactions: by lt or by time; ties by account, always ascending. */
export type TransactionOrder = 'lt' | 'time'

/** Compares two keys in an order and direction: negative if `a` comes first. */
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
