import {
  type BlockId,
  type BlockSkeleton,
  blockKey,
  type McBlockSeqno,
  type RawBlock,
  type ShardTop,
} from '@shardwalk/model'
import { BlockNotAvailable, WrongBytes } from './errors.ts'
import type { BlockSource } from './ports.ts'
import { readSkeleton } from './skeleton.ts'

/**
 * A masterchain block and its header part; `skeleton` undefined: the bytes are the block's, but cannot be
 * read.
 */
export interface MasterchainBlock {
  readonly raw: RawBlock
  readonly skeleton: BlockSkeleton | undefined
}

/** How blocks are asked for. */
export interface Asking {
  /** The head's blocks go before all others. */
  readonly urgent: boolean
  readonly signal: AbortSignal
}

/** Frontiers kept: enough for every job that runs at the same time. */
const KEPT = 512
/** Lookups of one block that may name an id that leads nowhere. */
const MAX_LOOKUPS = 5
/** Masterchain blocks that may be unreadable in a row before the search for a frontier behind them ends. */
const MAX_UNREADABLE = 16

/** Masterchain blocks by number, and the shard tops of those that were fetched lately. One per process. */
export class MasterchainBlocks {
  private readonly frontiers = new Map<string, readonly ShardTop[]>()

  constructor(private readonly source: Pick<BlockSource, 'masterchainBlockId' | 'getBlock'>) {}

  async bySeqno(seqno: McBlockSeqno, asking: Asking): Promise<MasterchainBlock> {
    for (let attempt = 1; ; attempt++) {
      const id = await this.source.masterchainBlockId(seqno, asking)
      try {
        return await this.byId(id, asking)
      } catch (error) {
        // Only the file shows that part of an id is wrong; another server may answer the next lookup.
        const isDoubtful = error instanceof WrongBytes || error instanceof BlockNotAvailable
        if (!isDoubtful || attempt >= MAX_LOOKUPS) throw error
      }
    }
  }

  /** Shard tops that stood before this masterchain block; empty before the first one. */
  async frontierBefore(block: BlockSkeleton, asking: Asking): Promise<readonly ShardTop[]> {
    let previous = block.prev[0]
    for (let distance = 0; previous && previous.seqno > 0 && distance < MAX_UNREADABLE; distance++) {
      const known = this.frontiers.get(blockKey(previous))
      if (known) return known
      const { skeleton } = await this.byId(previous, asking)
      if (skeleton?.shardTops) return skeleton.shardTops
      // Its shard blocks are counted to the next masterchain block that can be read.
      previous = await this.source.masterchainBlockId(previous.seqno - 1, asking)
    }
    return []
  }

  private async byId(id: BlockId, asking: Asking): Promise<MasterchainBlock> {
    const raw = { id, bytes: await this.source.getBlock(id, asking) }
    const skeleton = readSkeleton(raw)
    if (skeleton?.shardTops) this.remember(id, skeleton.shardTops)
    return { raw, skeleton }
  }

  private remember(id: BlockId, tops: readonly ShardTop[]): void {
    if (this.frontiers.size >= KEPT) this.frontiers.delete(this.frontiers.keys().next().value!)
    this.frontiers.set(blockKey(id), tops)
  }
}
