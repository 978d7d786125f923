import { blockIdExt } from '@shardwalk/api-schema'
import { type BlockId, FULL_SHARD, type ShortBlockId, shardFromSigned } from '@shardwalk/model'
import type { NodeAccess } from '@shardwalk/node-access'
import type { V2Handlers } from './handler.ts'

/** The parameters that identify a block. */
export interface BlockQuery {
  readonly workchain: number
  readonly shard: bigint
  readonly seqno: number
  readonly root_hash?: Buffer | undefined
  readonly file_hash?: Buffer | undefined
}

/** Shard 0 stands for the whole workchain, as in tonlib. */
export const shortId = ({
  workchain,
  shard,
  seqno = 0,
}: Omit<BlockQuery, 'seqno'> & { seqno?: number }): ShortBlockId => ({
  workchain,
  shard: shard === 0n ? FULL_SHARD : shardFromSigned(shard),
  seqno,
})

/** The full id: as given when both hashes are present, otherwise looked up. */
export async function resolveBlock({ blocks }: NodeAccess, query: BlockQuery): Promise<BlockId> {
  const id = shortId(query)
  const { root_hash: rootHash, file_hash: fileHash } = query
  return rootHash && fileHash ? { ...id, rootHash, fileHash } : blocks.lookup(id, { seqno: query.seqno })
}

export const BLOCK_HANDLERS: V2Handlers<
  | 'getMasterchainInfo'
  | 'getConsensusBlock'
  | 'lookupBlock'
  | 'getShards'
  | 'getBlockHeader'
  | 'getBlock'
  | 'getOutMsgQueueSize'
> = {
  async getMasterchainInfo({ blocks }) {
    const last = await blocks.masterchain()
    const stateHash = await blocks.stateHash(last)
    const { workchain, rootHash, fileHash } = await blocks.zeroState()
    return {
      '@type': 'blocks.masterchainInfo',
      last: blockIdExt(last),
      state_root_hash: stateHash.toString('base64'),
      // The zerostate as a block id. tonlib reports its shard as 0, not as that of the masterchain.
      init: blockIdExt({ workchain, shard: 0n, seqno: 0, rootHash, fileHash }),
    }
  },

  async getConsensusBlock({ heads }) {
    // Not proven. Waits for a server only if none has reported a block yet.
    const head = heads.reported() ?? (await heads.newest())
    return {
      '@type': 'ext.blocks.consensusBlock',
      consensus_block: head.seqno,
      timestamp: Math.floor(Date.now() / 1000),
    }
  },

  async lookupBlock({ blocks, shards }, { workchain, shard, seqno, lt, unixtime }) {
    const id = shortId({ workchain, shard })
    if (seqno !== undefined) return blockIdExt(await blocks.lookup(id, { seqno }))
    if (lt !== undefined) return blockIdExt(await blocks.lookup(id, { lt }))
    if (unixtime !== undefined) return blockIdExt(await blocks.lookup(id, { utime: unixtime }))
    return blockIdExt(await shards.newestTop(id))
  },

  async getShards({ blocks, shards }, { seqno }) {
    const tops = await shards.tops(await blocks.masterchain(seqno))
    return { '@type': 'blocks.shards', shards: tops.map(blockIdExt) }
  },

  async getBlockHeader(node, query) {
    const id = await resolveBlock(node, query)
    const { header, root } = await node.blocks.header(id)
    return {
      '@type': 'blocks.header',
      id: blockIdExt(id),
      // block.tlb `block#11ef55aa global_id:int32`.
      global_id: root.slice().skip(32).loadInt(32),
      version: header.version,
      after_merge: header.afterMerge,
      after_split: header.afterSplit,
      before_split: header.beforeSplit,
      want_merge: header.wantMerge,
      want_split: header.wantSplit,
      // tonlib_api.tl `blocks.header`: int32, also where the block has uint32.
      validator_list_hash_short: header.validatorListHashShort | 0,
      catchain_seqno: header.genCatchainSeqno,
      min_ref_mc_seqno: header.minRefMcSeqno | 0,
      is_key_block: header.keyBlock,
      prev_key_block_seqno: header.notMaster ? 0 : header.prevKeyBlockSeqno,
      start_lt: String(header.startLt),
      end_lt: String(header.endLt),
      gen_utime: header.genUtime,
      prev_blocks: header.prev.map(blockIdExt),
    }
  },

  async getBlock(node, query) {
    const id = await resolveBlock(node, query)
    const bytes = await node.blockTransactions.bytes(id)
    return { '@type': 'blocks.blockData', id: blockIdExt(id), data: bytes.toString('base64') }
  },

  async getOutMsgQueueSize({ blocks, shards }) {
    const head = await blocks.masterchain()
    const ids = [head, ...(await shards.tops(head))]
    const sizes = await shards.queueSizesOf(ids, head)
    return {
      '@type': 'blocks.outMsgQueueSizes',
      shards: ids.map((id, i) => ({ '@type': 'blocks.outMsgQueueSize', id: blockIdExt(id), size: sizes[i] })),
      ext_msg_queue_size_limit: await shards.externalMessageLimit(),
    }
  },
}
