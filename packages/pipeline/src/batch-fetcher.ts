import {
  type BlockId,
  type BlockSkeleton,
  DecodeError,
  type McBlockSeqno,
  NEWER_GLOBAL_VERSION,
  type RawBlock,
  sameBlock,
} from '@shardwalk/model'
import { EarlyShardBlocks } from './early-shard-blocks.ts'
import { BrokenChain } from './errors.ts'
import { type Asking, type MasterchainBlock, MasterchainBlocks } from './masterchain-blocks.ts'
import type { SeqnoRange } from './plan.ts'
import type { BlockSource, RawBatch } from './ports.ts'
import { RangeBlocks } from './range-blocks.ts'
import { blocksBetween, fetchShards, type ShardRequest } from './shard-blocks.ts'

/** The next shard blocks are asked for together with so many of a masterchain block, otherwise after them. */
const MAX_TOGETHER = 16

/**
 * Fetches masterchain blocks with the shard blocks that they commit. Use one per process, because it caches
 * frontiers.
 */
export class BatchFetcher {
  private readonly blocks: MasterchainBlocks
  private readonly early: EarlyShardBlocks
  private newestLearned = 0

  constructor(private readonly source: BlockSource) {
    this.blocks = new MasterchainBlocks(source)
    this.early = new EarlyShardBlocks(source)
  }

  /** Records the id of a masterchain block that will be requested, so that it need not be looked up. */
  learn(id: BlockId): void {
    this.newestLearned = Math.max(this.newestLearned, id.seqno)
    this.blocks.learn(id)
  }

  /**
   * Returns a function that fetches the batches of a range. Call it with every seqno in ascending order,
   * without having to await it in between. A masterchain block that does not follow its predecessor fails
   * with `BrokenChain`. The block before the range is found through a hash reference, so it is the right one.
   * `onBlock` is called when a block has arrived.
   */
  range(
    range: SeqnoRange,
    asking: Asking,
    onBlock: () => void = () => {},
  ): (seqno: McBlockSeqno) => Promise<RawBatch> {
    const blocks = new RangeBlocks(this.blocks, range, asking)
    let previous: Promise<MasterchainBlock> | undefined
    return async (seqno) => {
      const before = seqno > range.from ? previous : undefined
      const block = blocks.take(seqno)
      previous = block
      const masterchain = await block
      onBlock()
      return this.withShards(masterchain, await before, { asking, onBlock })
    }
  }

  private async withShards(
    { raw, skeleton }: MasterchainBlock,
    previous: MasterchainBlock | undefined,
    { asking, onBlock }: Pick<ShardRequest, 'onBlock'> & { readonly asking: Asking },
  ): Promise<RawBatch> {
    const mcBlockSeqno = raw.id.seqno
    if (!skeleton) return { masterchain: raw, shards: [], mcBlockSeqno, globalVersion: undefined }
    if (previous) checkLink(skeleton, previous)
    const [shards, globalVersion] = await Promise.all([
      this.shardsOf(skeleton, asking, onBlock),
      this.versionAt(skeleton, asking),
    ])
    return { masterchain: raw, shards, mcBlockSeqno, globalVersion }
  }

  private async shardsOf(
    masterchain: BlockSkeleton,
    asking: Asking,
    onBlock: ShardRequest['onBlock'],
  ): Promise<readonly RawBlock[]> {
    const { source, early } = this
    const { tops: previousTops, distance } = await this.blocks.frontierBefore(masterchain, asking)
    const fetching = fetchShards({ masterchain, previousTops, distance, source, early, asking, onBlock })
    const { shardTops = [] } = masterchain
    const { seqno } = masterchain.id
    // Requests for the next blocks occupy servers until these appear, so that many of this one go first.
    // After a few it would be too late: within their round trip the next masterchain block may appear.
    if (blocksBetween(previousTops, shardTops) > MAX_TOGETHER) await fetching
    if (asking.urgent && seqno === this.newestLearned) early.expect(shardTops, seqno + 1)
    return fetching
  }

  private async versionAt(
    { header, prevKeyBlock, prev }: BlockSkeleton,
    asking: Asking,
  ): Promise<number | undefined> {
    if (!prevKeyBlock && header.prevKeyBlockSeqno > 0) return NEWER_GLOBAL_VERSION
    const keyBlock = prevKeyBlock ?? (await this.source.zerostateId())
    try {
      return await this.source.globalVersionAtKeyBlock(keyBlock, { ...asking, inForceAt: prev[0] })
    } catch (error) {
      if (error instanceof DecodeError) return undefined
      throw error
    }
  }
}

function checkLink(skeleton: BlockSkeleton, previous: MasterchainBlock): void {
  const claimed = skeleton.prev[0]
  if (!claimed || !sameBlock(claimed, previous.raw.id))
    throw new BrokenChain(skeleton.id, claimed, previous.raw.id)
}
