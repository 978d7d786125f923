import type { McBlockSeqno, SignedShardId, Workchain } from '@shardwalk/model'
import { bytea, defineTable, int4, int8, text, timestamptz } from './define-table.ts'

export const indexedRanges = defineTable('indexed_ranges', {
  comment: 'What is indexed, as ranges of masterchain seqnos; neighbours are merged.',
  notes: `Written in the transaction that writes a batch: the only truth about progress, and the fence that keeps a batch from being
written twice.`,
  primaryKey: ['from_seqno'],
  columns: {
    from_seqno: int4<McBlockSeqno>('First seqno of the range.'),
    to_seqno: int4<McBlockSeqno>('Last seqno of the range.'),
  },
})

export const quarantine = defineTable('quarantine', {
  comment: 'One row per block that could not be decoded.',
  primaryKey: ['workchain', 'shard', 'seqno', 'root_hash'],
  columns: {
    workchain: int4<Workchain>('-1 masterchain, 0 basechain.'),
    shard: int8<SignedShardId>('Shard id, signed.'),
    seqno: int4('Number of the block in its shard.'),
    root_hash: bytea('Hash of the root cell.'),
    file_hash: bytea("SHA-256 of the block's bytes."),
    mc_seqno: int4<McBlockSeqno>('Masterchain block that commits it.'),
    error: text('Why it could not be decoded.'),
    bytes: bytea('The block.'),
    created_at: timestamptz('When it was put here.').withDefault(),
  },
})

export const ingestStatus = defineTable('ingest_status', {
  comment: 'One row: what ingest knows about the head of the chain.',
  notes: `Written by ingest when it changes, read by \`status\` and \`/readyz?synced=1\`. Of several ingest processes the greater head and
the smaller first seqno stand. It may be lost: it says what is wanted, \`indexed_ranges\` what is there.`,
  primaryKey: ['id'],
  columns: {
    id: int4('Always 1.'),
    head_seqno: int4<McBlockSeqno>('Newest masterchain block that a source has.'),
    first_seqno: int4<McBlockSeqno>('First masterchain block that is wanted.'),
    reported_at: timestamptz('When it was written.'),
  },
})

export const network = defineTable('network', {
  comment: 'One row: which chain the database holds. Blocks of another network are refused.',
  primaryKey: ['id'],
  columns: {
    id: int4('Always 1.'),
    root_hash: bytea('Root hash of the masterchain zerostate.'),
    file_hash: bytea('File hash of the masterchain zerostate.'),
    global_id: int4('-239 mainnet, -3 testnet; null until the first block is written.').orNull(),
  },
})
