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

/** Frontiers and ids kept: enough for every job that runs at the same time. */
const KEPT = 512
/** Lookups of one block that may name an id that leads nowhere. */
const MAX_LOOKUPS = 5
/** Masterchain blocks that may be unreadable in a row before the search for a frontier behind them ends. */
const MAX_UNREADABLE = 16

/**
 * Masterchain blocks by number, and the shard tops of those that were fetched lately. One per process: work
 * on neighbouring blocks shares what it fetches.
 */
export class MasterchainBlocks {
  private readonly ids = new Map<number, BlockId>()
  private readonly fetching = new Map<string, Promise<MasterchainBlock>>()
  private readonly frontiers = new Map<string, readonly ShardTop[]>()

  constructor(private readonly source: Pick<BlockSource, 'masterchainBlockId' | 'getBlock'>) {}

  /** The id of a block that was named by the way, e.g. as the head: it need not be looked up. */
  learn(id: BlockId): void {
    remember(this.ids, id.seqno, id)
  }

  async bySeqno(seqno: McBlockSeqno, asking: Asking): Promise<MasterchainBlock> {
    for (let attempt = 1; ; attempt++) {
      const id = this.ids.get(seqno) ?? (await this.source.masterchainBlockId(seqno, asking))
      try {
        return await this.byId(id, asking)
      } catch (error) {
        // Only the file shows that part of an id is wrong; another server may answer the next lookup.
        this.ids.delete(seqno)
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
    const key = blockKey(id)
    // Whoever began may have been aborted: that is not our failure.
    const shared = await this.fetching.get(key)?.catch(() => undefined)
    if (shared) return shared
    const block = this.fetch(id, asking)
    this.fetching.set(key, block)
    const done = () => {
      if (this.fetching.get(key) === block) this.fetching.delete(key)
    }
    block.then(done, done)
    return block
  }

  private async fetch(id: BlockId, asking: Asking): Promise<MasterchainBlock> {
    const bytes = await this.source.getBlock(id, { ...asking, mcBlockSeqno: id.seqno })
    const raw = { id, bytes }
    const skeleton = readSkeleton(raw)
    if (skeleton?.shardTops) remember(this.frontiers, blockKey(id), skeleton.shardTops)
    return { raw, skeleton }
  }
}

function remember<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.size >= KEPT) map.delete(map.keys().next().value as K)
  map.set(key, value)
}
