import type { McBlockSeqno } from '@shardwalk/model'
import { bytea, defineTable, float8, int4, jsonb, text, timestamptz } from './define-table.ts'

/** Written by the chain prover; read wherever a proof begins. */
export const trustedKeyBlocks = defineTable('trusted_key_blocks', {
  comment: "Key blocks that signatures of validators lead to from the network's anchor.",
  primaryKey: ['seqno'],
  columns: {
    seqno: int4<McBlockSeqno>('The key block.'),
    root_hash: bytea('Hash of the root cell.'),
    file_hash: bytea("SHA-256 of the block's bytes."),
  },
})

/** Written by the chain prover; where it continues after a restart. */
export const provedBlock = defineTable('proved_block', {
  comment: 'One row: the newest proven masterchain block.',
  primaryKey: ['id'],
  columns: {
    id: int4('Always 1.'),
    seqno: int4<McBlockSeqno>('The block.'),
    root_hash: bytea('Hash of the root cell.'),
    file_hash: bytea("SHA-256 of the block's bytes."),
    proved_at: timestamptz('When it was proven.').withDefault(),
  },
})

/** Written by the chain prover, which need not compare these blocks again. */
export const linkedRanges = defineTable('linked_ranges', {
  comment:
    'Stored masterchain blocks whose references to their predecessors were compared with the stored ones.',
  primaryKey: ['from_seqno'],
  columns: {
    from_seqno: int4<McBlockSeqno>('First block of the range.'),
    to_seqno: int4<McBlockSeqno>('Last block of the range.'),
    prev_root_hash: bytea('Root hash that the first block names as its predecessor.'),
    prev_file_hash: bytea('File hash that the first block names as its predecessor.'),
  },
})

/** Written by the chain prover, which refuses to start until the block is repaired. */
export const proofConflicts = defineTable('proof_conflicts', {
  comment: 'Stored blocks that differ from proven ones, with the evidence.',
  primaryKey: ['seqno', 'stored_root_hash', 'proven_root_hash'],
  columns: {
    seqno: int4<McBlockSeqno>('The masterchain block.'),
    found_at: timestamptz('When it was found.').withDefault(),
    stored_root_hash: bytea('Root hash of the stored block.'),
    stored_file_hash: bytea('File hash of the stored block.'),
    proven_root_hash: bytea('Root hash of the proven block.'),
    proven_file_hash: bytea('File hash of the proven block.'),
    evidence: jsonb<unknown>("Ids and the proof's bytes, enough to check it again elsewhere."),
  },
})

/** Written by `shardwalk keys`; read by the API. */
export const apiKeys = defineTable('api_keys', {
  comment: 'Keys of the API. Only their hashes are stored.',
  primaryKey: ['id'],
  indexes: { api_keys_key_hash_key: '(key_hash)' },
  columns: {
    id: int4('Number of the key.').generated(),
    key_hash: bytea('SHA-256 of the key; unique.'),
    prefix: text('First characters of the key, for people and logs.'),
    account: text('Whose it is: the limit counts for all keys of an account together.'),
    requests_per_second: float8('Limit, requests per second.'),
    global_id: int4('Network that the key is for; null: any.').orNull(),
    created_at: timestamptz('When it was made.').withDefault(),
    disabled_at: timestamptz('When it was revoked; null: it is in force.').orNull(),
  },
})
