import type { Dataset } from '../define-dataset.ts'
import { hash } from '../expressions.ts'
import { blockTime, SEQNO } from './columns.ts'

/** The lowest bit that is set marks the end of the prefix; of a whole workchain it is the sign. */
const MARK = '(case when b.shard = -9223372036854775808 then b.shard else b.shard & -b.shard end)'
/** The mark of a half: one bit down. */
const HALF = `((${MARK} >> 1) & 9223372036854775807)`
const LEFT_HALF = `((b.shard # ${MARK}) | ${HALF})`
const RIGHT_HALF = `(b.shard | ${HALF})`
const PARENT = `((b.shard & ~(${MARK} | (${MARK} << 1))) | (${MARK} << 1))`

export const BLOCKS: Dataset = {
  name: 'blocks',
  comment: 'Blocks of all shards.',
  kind: 'range',
  from: 'from blocks b',
  position: { seqno: 'b.mc_block_seqno', lt: 'b.start_lt' },
  order: 'b.mc_block_seqno, b.workchain, b.shard, b.seqno',
  columns: {
    block_time: blockTime('b.gen_utime'),
    mc_block_seqno: ['i32', 'b.mc_block_seqno', SEQNO],
    workchain: ['i32', 'b.workchain', '-1 masterchain, 0 basechain.'],
    shard: ['i64', 'b.shard::int8', 'Shard id, signed.'],
    seqno: ['i32', 'b.seqno', 'Number of the block in its shard.'],
    root_hash: ['str', hash('b.root_hash'), 'Hash of the root cell.'],
    file_hash: ['str', hash('b.file_hash'), 'Hash of the bytes.'],
    global_id: ['i32', 'b.global_id', 'Network.'],
    version: ['i32', 'b.version', 'version of the header.'],
    flags: ['i32', 'b.flags', 'flags of the header.'],
    after_merge: ['bool', 'b.after_merge', 'Two shards were merged before it.'],
    before_split: ['bool', 'b.before_split', 'The shard is split after it.'],
    after_split: ['bool', 'b.after_split', 'The shard was split before it.'],
    want_merge: ['bool', 'b.want_merge', 'The shard asks to be merged.'],
    want_split: ['bool', 'b.want_split', 'The shard asks to be split.'],
    key_block: ['bool', 'b.key_block', 'It changes the configuration.'],
    vert_seqno_incr: ['bool', 'b.vert_seqno_incr', 'vert_seqno_incr of the header.'],
    gen_utime: ['i64', 'b.gen_utime', 'Time, Unix seconds.'],
    start_lt: ['i64', 'b.start_lt', 'Logical time at which it begins.'],
    end_lt: ['i64', 'b.end_lt', 'Logical time at which it ends.'],
    validator_list_hash_short: ['i32', 'b.validator_list_hash_short', 'uint32, signed.'],
    gen_catchain_seqno: ['i32', 'b.gen_catchain_seqno', 'gen_catchain_seqno of the header.'],
    min_ref_mc_seqno: ['i32', 'b.min_ref_mc_seqno', 'Oldest masterchain block referred to.'],
    prev_key_block_seqno: ['i32', 'b.prev_key_block_seqno', 'Key block before it.'],
    vert_seqno: ['i32', 'b.vert_seqno', 'vert_seq_no of the header.'],
    master_ref_seqno: ['i32', 'b.master_ref_seqno', 'Masterchain block it was made from.'],
    rand_seed: ['str', hash('b.rand_seed'), 'rand_seed.'],
    created_by: ['str', hash('b.created_by'), 'Public key of the validator that made it.'],
    tx_count: ['i32', 'b.tx_count', 'Transactions.'],
    mc_block_workchain: ['i32', '-1', 'Always -1.'],
    mc_block_shard: ['i64', '(-9223372036854775808)::int8', 'Always the whole masterchain, signed.'],
    prev_blocks: [
      'str',
      `(select json_agg(json_build_array(b.workchain, p.shard::text, p.seqno) order by p.n)::text from (
        values (1, case when b.after_merge then ${LEFT_HALF} when b.after_split then ${PARENT}
          else b.shard end, b.prev_seqno),
          (2, case when b.after_merge then ${RIGHT_HALF} end, b.prev_seqno_2)
      ) p (n, shard, seqno) where p.seqno is not null)`,
      'Blocks before it, JSON: [[workchain, shard, seqno]]; two after a merge.',
    ],
  },
}
