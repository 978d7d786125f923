import type { Generated } from 'kysely'

/** What is indexed, as ranges of masterchain seqnos, both ends included; neighbours are merged. Key: from_seqno. */
export interface IndexedRangesTable {
  from_seqno: number
  to_seqno: number
}

/** Blocks that could not be decoded. Key: (workchain, shard, seqno, root_hash). */
export interface QuarantineTable {
  workchain: number
  /** Signed view of the 64-bit shard id. */
  shard: bigint
  seqno: number
  root_hash: Buffer
  file_hash: Buffer
  mc_seqno: number
  error: string
  bytes: Buffer
  created_at: Generated<Date>
}

/** One row (id = 1): what ingest knows about the head. No chain data. */
export interface IngestStatusTable {
  id: number
  /** Newest masterchain seqno that a source has. */
  head_seqno: number
  /** First masterchain seqno that is wanted. */
  first_seqno: number
  reported_at: Date
}

/** One row (id = 1): which chain the database holds. */
export interface NetworkTable {
  id: number
  /** Of the masterchain zerostate. */
  root_hash: Buffer
  /** Of the masterchain zerostate. */
  file_hash: Buffer
  /** Null until the first block is written: only blocks name it. */
  global_id: number | null
}
