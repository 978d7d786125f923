import type { Row, TableName } from '@shardwalk/tables'

/** Rows of the chain as serialisers get them: columns of the tables, docs/schema.md. */

export type { ExtraCurrenciesJson } from '@shardwalk/tables'

/** Columns of a table. */
export type Columns<Name extends TableName, K extends keyof Row<Name>> = Readonly<Pick<Row<Name>, K>>

/** A block without the columns that only the writing of batches uses. */
export type BlockRow = Readonly<
  Omit<Row<'blocks'>, 'batch_start_lt' | 'batch_end_lt' | 'batch_max_utime' | 'shard_tops'>
>

/** State after a transaction; `balance_after` is null if only its hash is known. */
export type StateRow = Columns<
  'transactions',
  | 'balance_after'
  | 'code_hash_after'
  | 'data_hash_after'
  | 'frozen_hash_after'
  | 'extra_currencies_after'
  | 'end_status'
>

/** A transaction with what its row lacks: the previous transaction's hash, and the state's hash before. */
export type TransactionRow = StateRow &
  Columns<
    'transactions',
    | 'account_id'
    | 'lt'
    | 'prev_trans_lt'
    | 'total_fees'
    | 'now'
    | 'mc_block_seqno'
    | 'block_seqno'
    | 'orig_status'
    | 'shard_len'
    | 'hash'
    | 'state_hash_after'
    | 'description'
    | 'total_fees_extra'
  > & { readonly prev_trans_hash: Buffer; readonly state_hash_before: Buffer }

/** A message without the columns that serve searches only. */
export type MessageRow = Readonly<
  Omit<Row<'messages'>, 'body_hash8' | 'init_code_hash' | 'external_destination'>
>
