import { blockIdExt } from '@shardwalk/api-schema'
import {
  type BlockId,
  FULL_SHARD,
  MASTERCHAIN,
  type ShortBlockId,
  shardContains,
  shardFromSigned,
} from '@shardwalk/model'
import type { ChainReader } from '@shardwalk/node-access'
import type { V2Handlers } from './context.ts'
import { failure } from './failures.ts'

/** The values that name one block. */
export interface BlockQuery {
  readonly workchain: number
  readonly shard: bigint
  readonly seqno: number
  readonly root_hash?: Buffer | undefined
  readonly file_hash?: Buffer | undefined
}

/** Zero stands for the whole workchain, as in tonlib. */
export const shortId = ({
  workchain,
  shard,
  seqno = 0,
}: Omit<BlockQuery, 'seqno'> & { seqno?: number }): ShortBlockId => ({
  workchain,
  shard: shard === 0n ? FULL_SHARD : shardFromSigned(shard),
  seqno,
})

/** The full id: as given when both hashes are, else looked up. */
export function resolveBlock(chain: ChainReader, query: BlockQuery): Promise<BlockId> {
  const id = shortId(query)
  const { root_hash: rootHash, file_hash: fileHash } = query
  return rootHash && fileHash
    ? Promise.resolve({ ...id, rootHash, fileHash })
    : chain.lookup(id, { seqno: query.seqno })
}

/** Top of the shard that equals the wanted one, contains it, or is its first descendant. */
async function newestOf(chain: ChainReader, wanted: ShortBlockId): Promise<BlockId> {
  const head = await chain.head()
  if (wanted.workchain === MASTERCHAIN) return head
  const tops = (await chain.shards(head)).filter(({ workchain }) => workchain === wanted.workchain)
  const top =
    tops.find(({ shard }) => shardContains(shard, wanted.shard)) ??
    tops.find(({ shard }) => shardContains(wanted.shard, shard))
  if (!top) throw failure(500, `LITE_SERVER_NOTREADY: there is no shard of workchain ${wanted.workchain}`)
  return top
}

export const BLOCK_HANDLERS: V2Handlers<
  | 'getMasterchainInfo'
  | 'getConsensusBlock'
  | 'lookupBlock'
  | 'getShards'
  | 'getBlockHeader'
  | 'getOutMsgQueueSize'
> = {
  async getMasterchainInfo({ chain }) {
    const last = await chain.head()
    const stateHash = await chain.stateHash(last)
    const { workchain, rootHash, fileHash } = await chain.zeroState()
    return {
      '@type': 'blocks.masterchainInfo',
      last: blockIdExt(last),
      state_root_hash: stateHash.toString('base64'),
      // The zero state as a block id: its shard is 0, not the masterchain's. Source: API v2 specification 5.1.
      init: blockIdExt({ workchain, shard: 0n, seqno: 0, rootHash, fileHash }),
    }
  },

  async getConsensusBlock({ chain }) {
    // The newest that servers report, proven or not; waits for a server only when none has reported yet.
    const head = chain.client.pool.head() ?? (await chain.head())
    return {
      '@type': 'ext.blocks.consensusBlock',
      consensus_block: head.seqno,
      timestamp: Math.floor(Date.now() / 1000),
    }
  },

  async lookupBlock({ chain }, { workchain, shard, seqno, lt, unixtime }) {
    const id = shortId({ workchain, shard })
    if (seqno !== undefined) return blockIdExt(await chain.lookup(id, { seqno }))
    if (lt !== undefined) return blockIdExt(await chain.lookup(id, { lt }))
    if (unixtime !== undefined) return blockIdExt(await chain.lookup(id, { utime: unixtime }))
    return blockIdExt(await newestOf(chain, id))
  },

  async getShards({ chain }, { seqno }) {
    const shards = await chain.shards(await chain.masterchainBlock(seqno))
    return { '@type': 'blocks.shards', shards: shards.map(blockIdExt) }
  },

  async getBlockHeader({ chain }, query) {
    const id = await resolveBlock(chain, query)
    const { header, root } = await chain.header(id)
    return {
      '@type': 'blocks.header',
      id: blockIdExt(id),
      global_id: root.slice().skip(32).loadInt(32),
      version: header.version,
      after_merge: header.afterMerge,
      after_split: header.afterSplit,
      before_split: header.beforeSplit,
      want_merge: header.wantMerge,
      want_split: header.wantSplit,
      validator_list_hash_short: header.validatorListHashShort | 0,
      catchain_seqno: header.genCatchainSeqno,
      min_ref_mc_seqno: header.minRefMcSeqno,
      is_key_block: header.keyBlock,
      prev_key_block_seqno: header.notMaster ? 0 : header.prevKeyBlockSeqno,
      start_lt: String(header.startLt),
      end_lt: String(header.endLt),
      gen_utime: header.genUtime,
      prev_blocks: header.prev.map(blockIdExt),
    }
  },

  async getOutMsgQueueSize({ chain }) {
    const { client } = chain
    const head = await chain.head()
    const ids = [head, ...(await chain.shards(head))]
    const sizes = await Promise.all(ids.map((id) => chain.queueSize(id, head)))
    const masterchain = { mode: 1, wc: MASTERCHAIN, shard: FULL_SHARD }
    const limit = await client.ask(
      'liteServer.getOutMsgQueueSizes',
      masterchain,
      (answer) => answer.extMsgQueueSizeLimit,
    )
    return {
      '@type': 'blocks.outMsgQueueSizes',
      shards: ids.map((id, i) => ({ '@type': 'blocks.outMsgQueueSize', id: blockIdExt(id), size: sizes[i] })),
      ext_msg_queue_size_limit: limit,
    }
  },
}
