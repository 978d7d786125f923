import type { Lt, McBlockSeqno, SignedShardId, Workchain } from '@shardwalk/model'
import { bool, brinByTime, bytea, defineTable, int4, int8, int8Array } from './define-table.ts'

/** Source of the fields: block.tlb `block_info#9bc7a987` and `block_extra`. */
export const blocks = defineTable('blocks', {
  comment: 'One row per block, masterchain and shards.',
  notes: `The predecessors' shards follow from \`after_merge\` and \`after_split\`. The three \`batch_*\`
columns map a period of time to a range of lt. \`shard_tops\` has two numbers for each shard, ordered by
workchain and shard: workchain in the upper and seqno in the lower 32 bits (0: the zerostate), then the
shard.`,
  primaryKey: ['workchain', 'shard', 'seqno'],
  indexes: {
    blocks_file_hash: "hash (file_hash) WITH (fillfactor='90')",
    blocks_gen_utime: '(gen_utime)',
    blocks_mc_block_seqno: '(mc_block_seqno)',
    blocks_root_hash: "hash (root_hash) WITH (fillfactor='90')",
    blocks_start_lt: '(start_lt)',
    blocks_time: brinByTime('gen_utime'),
  },
  columns: {
    workchain: int4<Workchain>('-1 masterchain, 0 basechain.'),
    shard: int8<SignedShardId>('Shard id, signed.'),
    seqno: int4('Number of the block in its shard.'),
    mc_block_seqno: int4<McBlockSeqno>(
      'Masterchain block that commits this one; a masterchain block commits itself.',
    ),
    root_hash: bytea('Hash of the root cell.'),
    file_hash: bytea("SHA-256 of the block's bytes."),
    global_id: int4('Network: -239 mainnet, -3 testnet.'),
    version: int4('`version` of the header.'),
    flags: int4('`flags` of the header.'),
    vert_seqno: int4('`vert_seq_no` of the header.'),
    after_merge: bool('Two shards were merged before this block.'),
    before_split: bool('The shard is split after this block.'),
    after_split: bool('The shard was split before this block.'),
    want_merge: bool('The shard asks to be merged.'),
    want_split: bool('The shard asks to be split.'),
    key_block: bool('The block changes the configuration.'),
    vert_seqno_incr: bool('`vert_seqno_incr` of the header.'),
    gen_utime: int4('Time of the block, Unix seconds.'),
    start_lt: int8<Lt>('Logical time at which the block begins.'),
    end_lt: int8<Lt>('Logical time at which the block ends.'),
    validator_list_hash_short: int4('uint32, stored signed.'),
    gen_catchain_seqno: int4('`gen_catchain_seqno` of the header.'),
    min_ref_mc_seqno: int4<McBlockSeqno>('Oldest masterchain block that the block refers to.'),
    prev_key_block_seqno: int4<McBlockSeqno>('Key block before this one.'),
    master_ref_seqno: int4<McBlockSeqno>(
      'Masterchain block that the block was made from; 0 in the masterchain.',
    ),
    rand_seed: bytea('`rand_seed` of the block, 32 bytes.'),
    created_by: bytea('Public key of the validator that made it, 32 bytes.'),
    tx_count: int4('Transactions in the block.'),
    prev_seqno: int4('Predecessor; the left one after a merge.'),
    prev_seqno_2: int4('Right predecessor after a merge.').orNull(),
    batch_start_lt: int8<Lt>(
      'Masterchain rows: least `start_lt` of the blocks that this one commits, itself included.',
    ).orNull(),
    batch_end_lt: int8<Lt>(
      'Masterchain rows: greatest `end_lt` of the blocks that this one commits, itself included.',
    ).orNull(),
    batch_max_utime: int4(
      'Masterchain rows: greatest `gen_utime` of the blocks that this one commits, itself included.',
    ).orNull(),
    shard_tops: int8Array(
      'Masterchain rows: the newest block of each shard as of this one, the masterchain left out.',
    ).orNull(),
  },
})
