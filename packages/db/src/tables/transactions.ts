import type { ColumnType, JSONColumnType } from 'kysely'

/** `{"<currency id>": "<amount>"}`, both decimal. */
export type ExtraCurrenciesColumn = JSONColumnType<
  Record<string, string> | null,
  string | null,
  string | null
>

/** The same, or the hash of the dictionary (hex) while the currencies themselves are not known. */
export type CurrenciesAfterColumn = ColumnType<
  Record<string, string> | string | null,
  string | null,
  string | null
>

/** One row per transaction. Key: (account_id, lt). Partitioned by lt. Source of the fields: block.tlb `transaction$0111`. */
export interface TransactionsTable {
  account_id: bigint
  lt: bigint
  prev_trans_lt: bigint
  /** Nanotons. */
  total_fees: bigint
  /** Sender of the in message; null: no transaction sent it, or there is no in message. */
  in_msg_account_id: bigint | null
  /** lt of the in message's row in `messages`; null: no in message. */
  in_msg_lt: bigint | null
  /** Nanotons; filled on the account's last transaction of each block. */
  balance_after: bigint | null
  gas_used: bigint | null
  /** Unix seconds. */
  now: number
  mc_block_seqno: number
  block_seqno: number
  exit_code: number | null
  action_result_code: number | null
  /** Index into `TRANSACTION_KIND`. */
  kind: number
  /** Index into `ACCOUNT_STATUS`. */
  orig_status: number
  /** Index into `ACCOUNT_STATUS`. */
  end_status: number
  /** Prefix length of the block's shard: the shard is the account's top bits and the marker. */
  shard_len: number
  out_msg_count: number
  aborted: boolean | null
  hash: Buffer
  prev_trans_hash: Buffer
  state_hash_before: Buffer
  state_hash_after: Buffer
  trace_id: Buffer | null
  code_hash_after: Buffer | null
  data_hash_after: Buffer | null
  frozen_hash_after: Buffer | null
  /** `packDescription` of packages/tlb. */
  description: Buffer
  total_fees_extra: ExtraCurrenciesColumn
  extra_currencies_after: CurrenciesAfterColumn
}
