/** One row per block, masterchain and shard. Key: (workchain, shard, seqno). Source of the fields: block.tlb `BlockInfo`. */
export interface BlocksTable {
  workchain: number
  /** Signed view of the 64-bit shard id. */
  shard: bigint
  seqno: number
  /** The masterchain block that commits this one; a masterchain block commits itself. */
  mc_block_seqno: number
  root_hash: Buffer
  file_hash: Buffer
  global_id: number
  version: number
  flags: number
  vert_seqno: number
  after_merge: boolean
  before_split: boolean
  after_split: boolean
  want_merge: boolean
  want_split: boolean
  key_block: boolean
  vert_seqno_incr: boolean
  /** Unix seconds. */
  gen_utime: number
  start_lt: bigint
  end_lt: bigint
  /** Signed view of a uint32. */
  validator_list_hash_short: number
  gen_catchain_seqno: number
  min_ref_mc_seqno: number
  prev_key_block_seqno: number
  /** 0 for masterchain blocks. */
  master_ref_seqno: number
  rand_seed: Buffer
  created_by: Buffer
  tx_count: number
  prev_seqno: number
  /** Right predecessor after a merge. */
  prev_seqno_2: number | null
  /** Masterchain rows only: least start_lt of the blocks it commits, itself included. */
  batch_start_lt: bigint | null
  /** Masterchain rows only: greatest end_lt of the blocks it commits, itself included. */
  batch_end_lt: bigint | null
  /** Masterchain rows only: greatest gen_utime of the blocks it commits, itself included. */
  batch_max_utime: number | null
}

/** Shard configuration as of each masterchain block, that block included. Key: (mc_seqno, workchain, shard). */
export interface ShardStateTable {
  mc_seqno: number
  workchain: number
  /** Signed view of the 64-bit shard id. */
  shard: bigint
  /** Newest block of the shard; 0 is the workchain's zerostate. */
  seqno: number
}
