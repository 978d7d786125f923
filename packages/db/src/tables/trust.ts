import type { ColumnType, Generated } from 'kysely'

// Type aliases and no interfaces: `withTables` of Kysely takes only what has an implicit index signature.

type BlockHashes = {
  root_hash: Buffer
  file_hash: Buffer
}

/** Key blocks that validators' signatures lead to from the network's anchor. Key: seqno. */
export type TrustedKeyBlocksTable = BlockHashes & {
  seqno: number
}

/** One row (id = 1): the newest proven masterchain block. */
export type ProvedBlockTable = BlockHashes & {
  id: number
  seqno: number
  proved_at: Generated<Date>
}

/** Stored masterchain blocks whose references to their predecessors were compared with the stored predecessors. Key: from_seqno. */
export type LinkedRangesTable = {
  from_seqno: number
  to_seqno: number
  /** What block `from_seqno` names as its predecessor. */
  prev_root_hash: Buffer
  prev_file_hash: Buffer
}

/** A stored block that differs from a proven one. Key: (seqno, stored_root_hash, proven_root_hash). */
export type ProofConflictsTable = {
  seqno: number
  found_at: Generated<Date>
  stored_root_hash: Buffer
  stored_file_hash: Buffer
  proven_root_hash: Buffer
  proven_file_hash: Buffer
  /** Ids and the proof's bytes, enough to check it again elsewhere. */
  evidence: ColumnType<unknown, string, never>
}

/** Tables of the trust anchor. */
export type TrustTables = {
  trusted_key_blocks: TrustedKeyBlocksTable
  proved_block: ProvedBlockTable
  linked_ranges: LinkedRangesTable
  proof_conflicts: ProofConflictsTable
}

/** Keys of the API; the keys themselves are nowhere. Key: id. */
export type ApiKeysTable = {
  id: Generated<number>
  /** SHA-256 of the key. */
  key_hash: Buffer
  /** First characters of the key, for people and logs. */
  prefix: string
  /** Whose it is: the limit counts for all keys of an account together. */
  account: string
  requests_per_second: number
  /** Network (`global_id` of its blocks) that the key is for; null: any. */
  global_id: number | null
  created_at: Generated<Date>
  disabled_at: Date | null
}
