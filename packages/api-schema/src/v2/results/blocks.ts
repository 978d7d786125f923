import * as z from 'zod'
import { BlockId, bytes, digits, hash, int, object } from './parts.ts'

// Blocks, their headers, signatures and proofs.

/** The newest block (`last`) and the zerostate of the network (`init`). */
export const MasterchainInfo = object('MasterchainInfo', 'blocks.masterchainInfo', {
  last: BlockId,
  state_root_hash: hash,
  init: BlockId,
})
const signatures = {
  id: BlockId,
  signatures: z.array(
    object('BlockSignature', 'blocks.signature', { node_id_short: hash, signature: bytes }),
  ),
}
/** Signatures of validators over a masterchain block; which of both kinds depends on its consensus. */
export const BlockSignatures = z
  .union([
    object('BlockSignatures', 'blocks.blockSignatures', signatures),
    object('SimplexBlockSignatures', 'blocks.blockSignatures.simplex', {
      ...signatures,
      session_id: hash,
      slot: int,
      candidate: bytes,
    }),
  ])
  .meta({ id: 'MasterchainBlockSignatures' })
/** From a masterchain block down to a shard block; `mc_proof` leads to it from a later masterchain block. */
export const ShardBlockProof = object('ShardBlockProof', 'blocks.shardBlockProof', {
  from: BlockId,
  mc_id: BlockId,
  links: z.array(object('ShardBlockLink', 'blocks.shardBlockLink', { id: BlockId, proof: bytes })),
  mc_proof: z.array(
    object('BlockLinkBack', 'blocks.blockLinkBack', {
      to_key_block: z.boolean(),
      from: BlockId,
      to: BlockId,
      dest_proof: bytes,
      proof: bytes,
      state_proof: bytes,
    }),
  ),
})
/** Seqno of the newest masterchain block, and the time of this server in Unix seconds. */
export const ConsensusBlock = object('ConsensusBlock', 'ext.blocks.consensusBlock', {
  consensus_block: int,
  timestamp: int,
})
/** The shard tops as of a masterchain block. */
export const Shards = object('Shards', 'blocks.shards', { shards: z.array(BlockId) })
/** `gen_utime` in Unix seconds. `id` has the hashes, which the header itself lacks. */
export const BlockHeader = object('BlockHeader', 'blocks.header', {
  id: BlockId,
  global_id: int,
  version: int,
  after_merge: z.boolean(),
  after_split: z.boolean(),
  before_split: z.boolean(),
  want_merge: z.boolean(),
  want_split: z.boolean(),
  validator_list_hash_short: int,
  catchain_seqno: int,
  min_ref_mc_seqno: int,
  is_key_block: z.boolean(),
  prev_key_block_seqno: int,
  start_lt: digits,
  end_lt: digits,
  gen_utime: int,
  prev_blocks: z.array(BlockId),
})
/** The block as a bag of cells in base64. */
export const BlockData = object('BlockData', 'blocks.blockData', { id: BlockId, data: bytes })
/** Numbers of messages that wait in each shard, and the limit of the queue of external messages. */
export const OutMsgQueueSizes = object('OutMsgQueueSizes', 'blocks.outMsgQueueSizes', {
  shards: z.array(object('OutMsgQueueSize', 'blocks.outMsgQueueSize', { id: BlockId, size: int })),
  ext_msg_queue_size_limit: int,
})
