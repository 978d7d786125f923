import * as z from 'zod'
import { BlockId, bytes, digits, hash, int, object } from './parts.ts'

// Blocks, their headers, signatures and proofs.

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
export const ConsensusBlock = object('ConsensusBlock', 'ext.blocks.consensusBlock', {
  consensus_block: int,
  timestamp: int,
})
export const Shards = object('Shards', 'blocks.shards', { shards: z.array(BlockId) })
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
export const BlockData = object('BlockData', 'blocks.blockData', { id: BlockId, data: bytes })
export const OutMsgQueueSizes = object('OutMsgQueueSizes', 'blocks.outMsgQueueSizes', {
  shards: z.array(object('OutMsgQueueSize', 'blocks.outMsgQueueSize', { id: BlockId, size: int })),
  ext_msg_queue_size_limit: int,
})
