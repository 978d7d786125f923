import { type BlockId, type BlockSkeleton, blockKey, type ShardTop } from '@shardwalk/model'
import type { BlockSource } from '@shardwalk/pipeline'
import type { MasterchainStep } from './fetch-range.ts'
import { readSkeleton } from './walk.ts'

export interface FrontierOptions {
  readonly source: BlockSource
  readonly urgent: boolean
  readonly signal: AbortSignal
}

/** Enough for every job that runs at the same time. */
const KEPT = 512
/** Masterchain blocks that may be unreadable in a row before the walk gives up on finding a frontier behind them. */
const MAX_UNREADABLE = 16

/**
 * Frontiers (shard tops) of recent masterchain blocks by block id, so that the block before a range is fetched once and not for every
 * range that starts behind it.
 */
export class Frontiers {
  private readonly tops = new Map<string, readonly ShardTop[]>()

  remember({ skeleton }: MasterchainStep): void {
    if (skeleton?.shardTops) this.put(skeleton.id, skeleton.shardTops)
  }

  /** Shard tops that stood before this masterchain block; empty before the first one. */
  async before(block: BlockSkeleton, options: FrontierOptions): Promise<readonly ShardTop[]> {
    let previous = block.prev[0]
    for (let distance = 0; previous && previous.seqno > 0 && distance < MAX_UNREADABLE; distance++) {
      const known = this.tops.get(blockKey(previous))
      if (known) return known
      const raw = { id: previous, bytes: await options.source.getBlock(previous, options) }
      const skeleton = readSkeleton(raw)
      if (skeleton?.shardTops) {
        this.put(previous, skeleton.shardTops)
        return skeleton.shardTops
      }
      // Quarantined: its shard blocks are counted to the next readable masterchain block.
      previous = await options.source.masterchainBlockId(previous.seqno - 1, options)
    }
    return []
  }

  private put(id: BlockId, tops: readonly ShardTop[]): void {
    if (this.tops.size >= KEPT) this.tops.delete(this.tops.keys().next().value!)
    this.tops.set(blockKey(id), tops)
  }
}
