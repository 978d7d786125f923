import type { McBlockSeqno, SignedShardId, Workchain } from '@shardwalk/model'
import { bytea, defineTable, int4, int8, jsonb, text, timestamptz } from './define-table.ts'

/** A lite server as a process sees it. `faults`: numbers of the last five minutes, by class. */
export interface LiteServerJson {
  readonly name: string
  readonly state: 'ready' | 'banned' | 'connecting'
  readonly faults: Readonly<Record<'timeouts' | 'rate_limits' | 'wrong_answers' | 'disconnects', number>>
}

export const indexedRanges = defineTable('indexed_ranges', {
  comment: 'What is indexed, as ranges of masterchain seqnos; neighbours are merged.',
  notes: `Written in the transaction that writes a batch. It alone defines progress, and it prevents a
batch from being written twice.`,
  primaryKey: ['from_seqno'],
  columns: {
    from_seqno: int4<McBlockSeqno>('First seqno of the range.'),
    to_seqno: int4<McBlockSeqno>('Last seqno of the range.'),
  },
})

/** Written by the batch sink; shown by `shardwalk status` and the status page. */
export const quarantine = defineTable('quarantine', {
  comment: 'One row per transaction, account state, block or version that could not be decoded or stored.',
  notes: `Only the smallest unreadable part is stored here; everything around it is indexed. A repair of
its masterchain block removes the row, or writes it again.`,
  primaryKey: ['workchain', 'shard', 'seqno', 'root_hash', 'kind', 'hash'],
  indexes: {
    quarantine_mc_seqno: '(mc_seqno)',
    quarantine_missing: "(mc_seqno) WHERE (kind <> 'version'::text)",
  },
  columns: {
    workchain: int4<Workchain>('-1 masterchain, 0 basechain.'),
    shard: int8<SignedShardId>('Shard id, signed.'),
    seqno: int4('Number of the block in its shard; uint32, stored signed.'),
    root_hash: bytea('Hash of the root cell.'),
    file_hash: bytea("SHA-256 of the block's bytes."),
    mc_seqno: int4<McBlockSeqno>('Masterchain block that commits it.'),
    kind: text<'block' | 'transaction' | 'state' | 'version'>(
      '`block`, `transaction`, `state` of an account after its last transaction, or `version`: the global ' +
        'version at a masterchain block, which tells `ihr_fee` from `extra_flags` of messages.',
    ),
    hash: bytea('Hash of the block, the transaction or the Account cell.'),
    account: bytea(
      'Account id without the workchain, which is that of the block; null: a block or a version.',
    ).orNull(),
    lt: int8(
      'lt of the transaction, or of the last one before the state; null: a block or a version.',
    ).orNull(),
    error: text('Why it could not be decoded or stored.'),
    tried_with: text('Version of the program that tried last.'),
    bytes: bytea('The block, or the cell as a bag of cells; null: the block does not contain it.').orNull(),
    created_at: timestamptz('When it was put here.').withDefault(),
  },
})

export const ingestStatus = defineTable('ingest_status', {
  comment: 'One row: what ingest knows about the head of the chain.',
  notes: `Written by ingest when it changes, read by \`status\` and \`/readyz?synced=1\`. With several
ingest processes the greatest head of the last minute and the last first seqno win. It may be lost: it
describes what is requested, \`indexed_ranges\` what is indexed.`,
  primaryKey: ['id'],
  columns: {
    id: int4('Always 1.'),
    head_seqno: int4<McBlockSeqno>('Newest masterchain block that a source has.'),
    first_seqno: int4<McBlockSeqno>('First masterchain block to index.'),
    reported_at: timestamptz('When the head was reported last.'),
    retained_from: int4<McBlockSeqno>(
      'First masterchain block that `RETENTION` keeps; null: it keeps all, or that is not known yet.',
    ).orNull(),
    kept_from: int4<McBlockSeqno>(
      'Rows of masterchain blocks before it are being deleted, or are gone; null: nothing was deleted.',
    ).orNull(),
    lite_servers: jsonb<readonly LiteServerJson[]>(
      'Lite servers that ingest asks, with their faults of the last five minutes; null: it asks none.',
    ).orNull(),
    lite_servers_at: timestamptz('When that was written.').orNull(),
  },
})

/** Written once, by the first process that indexes; every later one compares its network with it. */
export const network = defineTable('network', {
  comment: 'One row: which chain the database holds. Blocks of another network are refused.',
  primaryKey: ['id'],
  columns: {
    id: int4('Always 1.'),
    root_hash: bytea('Root hash of the masterchain zerostate.'),
    file_hash: bytea('File hash of the masterchain zerostate.'),
    global_id: int4(
      '-239 mainnet, -3 testnet; null until the first block that can be decoded is written.',
    ).orNull(),
  },
})
