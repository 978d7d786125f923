/** Rows of the tables (docs/schema.md) as read by serialisers. Hashes are 32 bytes, amounts nanotons. */

export interface BlockRow {
  readonly workchain: number
  /** Signed 64-bit form. */
  readonly shard: bigint
  readonly seqno: number
  readonly mc_block_seqno: number
  readonly root_hash: Buffer
  readonly file_hash: Buffer
  readonly global_id: number
  readonly version: number
  readonly flags: number
  readonly vert_seqno: number
  readonly after_merge: boolean
  readonly before_split: boolean
  readonly after_split: boolean
  readonly want_merge: boolean
  readonly want_split: boolean
  readonly key_block: boolean
  readonly vert_seqno_incr: boolean
  readonly gen_utime: number
  readonly start_lt: bigint
  readonly end_lt: bigint
  readonly validator_list_hash_short: number
  readonly gen_catchain_seqno: number
  readonly min_ref_mc_seqno: number
  readonly prev_key_block_seqno: number
  readonly master_ref_seqno: number
  readonly rand_seed: Buffer
  readonly created_by: Buffer
  readonly tx_count: number
  readonly prev_seqno: number
  readonly prev_seqno_2: number | null
}

export type ExtraCurrenciesJson = Readonly<Record<string, string>> | null

/** Amounts by currency id, or a string while only the hash of the currencies is known. */
export type CurrenciesAfterJson = Readonly<Record<string, string>> | string | null

/** State after a transaction; `balance_after` is null if only its hash is known. */
export interface StateRow {
  readonly balance_after: bigint | null
  readonly code_hash_after: Buffer | null
  readonly data_hash_after: Buffer | null
  readonly frozen_hash_after: Buffer | null
  readonly extra_currencies_after: CurrenciesAfterJson
  /** Index into `ACCOUNT_STATUS`. */
  readonly end_status: number
}

export interface TransactionRow extends StateRow {
  readonly account_id: bigint
  readonly lt: bigint
  readonly prev_trans_lt: bigint
  readonly total_fees: bigint
  readonly now: number
  readonly mc_block_seqno: number
  readonly block_seqno: number
  /** Index into `ACCOUNT_STATUS`. */
  readonly orig_status: number
  readonly shard_len: number
  readonly hash: Buffer
  readonly prev_trans_hash: Buffer
  readonly state_hash_before: Buffer
  readonly state_hash_after: Buffer
  readonly trace_id: Buffer | null
  /** Packed by `packDescription` of packages/tlb. */
  readonly description: Buffer
  readonly total_fees_extra: ExtraCurrenciesJson
}

export interface MessageRow {
  readonly account_id: bigint
  readonly lt: bigint
  readonly destination_id: bigint | null
  readonly value: bigint | null
  readonly fwd_fee: bigint | null
  readonly ihr_fee: bigint | null
  readonly import_fee: bigint | null
  readonly created_at: number | null
  /** Signed. */
  readonly opcode: number | null
  /** Index into `MESSAGE_KIND`. */
  readonly kind: number
  /** Bits: 1 ihr_disabled, 2 bounce, 4 bounced, 8 system message. */
  readonly flags: number
  readonly hash: Buffer
  readonly hash_norm: Buffer | null
  /** Null is the empty cell. */
  readonly body: Buffer | null
  readonly init_state: Buffer | null
  readonly value_extra: ExtraCurrenciesJson
  readonly extra_flags: string | null
}
