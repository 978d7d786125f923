import {
  childShards,
  FULL_SHARD,
  MASTERCHAIN,
  parentShard,
  shardFromSigned,
  shardToSigned,
} from '@shardwalk/model'
import type { BlockRow } from './rows.ts'
import { base64, blockId, decimal, type Json } from './text.ts'

const FULL = shardToSigned(FULL_SHARD)

/** `Block` of API v3. */
export function toBlockReply(b: BlockRow): Json {
  return (
    `{"workchain":${b.workchain}` +
    `,"shard":"${shardFromSigned(b.shard).toString(16).toUpperCase()}","seqno":${b.seqno}` +
    `,"root_hash":${base64(b.root_hash)},"file_hash":${base64(b.file_hash)}` +
    `,"global_id":${b.global_id},"version":${b.version}` +
    `,"after_merge":${b.after_merge},"before_split":${b.before_split},"after_split":${b.after_split}` +
    `,"want_merge":${b.want_merge},"want_split":${b.want_split},"key_block":${b.key_block}` +
    `,"vert_seqno_incr":${b.vert_seqno_incr},"flags":${b.flags},"gen_utime":${decimal(b.gen_utime)}` +
    `,"start_lt":${decimal(b.start_lt)},"end_lt":${decimal(b.end_lt)}` +
    `,"validator_list_hash_short":${b.validator_list_hash_short}` +
    `,"gen_catchain_seqno":${b.gen_catchain_seqno}` +
    `,"min_ref_mc_seqno":${b.min_ref_mc_seqno},"prev_key_block_seqno":${b.prev_key_block_seqno}` +
    `,"vert_seqno":${b.vert_seqno},"master_ref_seqno":${b.master_ref_seqno}` +
    `,"rand_seed":${base64(b.rand_seed)},"created_by":${base64(b.created_by)},"tx_count":${b.tx_count}` +
    `,"masterchain_block_ref":${blockId(MASTERCHAIN, FULL, b.mc_block_seqno)}` +
    `,"prev_blocks":[${previousBlocks(b)}]}`
  )
}

/**
 * Shards of predecessors follow from the flags: the children after a merge, the parent after a split, else
 * the same.
 */
function previousBlocks(b: BlockRow): string {
  const shard = shardFromSigned(b.shard)
  if (b.after_merge && b.prev_seqno_2 !== null) {
    const [left, right] = childShards(shard)
    return `${blockId(b.workchain, left, b.prev_seqno)},${blockId(b.workchain, right, b.prev_seqno_2)}`
  }
  return blockId(b.workchain, b.after_split ? parentShard(shard) : b.shard, b.prev_seqno)
}
