import {
  type BlockId,
  type BlockSkeleton,
  blockKey,
  type McBlockSeqno,
  type RawBlock,
  RecentMap,
  type ShardTop,
} from '@shardwalk/model'
import { BlockNotAvailable, WrongBytes } from './errors.ts'
import type { BlockSource } from './ports.ts'
import { readPredecessors, readSkeleton } from './skeleton.ts'

/**
 * A masterchain block and its header part. `skeleton` is undefined when the bytes are right but cannot be
 * decoded.
 */
export interface MasterchainBlock {
  readonly raw: RawBlock
  readonly skeleton: BlockSkeleton | undefined
}

/** How blocks are requested. */
export interface Asking {
  /** Blocks of the head go before all others. */
  readonly urgent: boolean
  readonly signal: AbortSignal
}

/** Number of frontiers and ids kept: enough for all concurrent jobs. */
const KEPT = 512
/** Number of lookups of one block that may return an id without a block. */
const MAX_LOOKUPS = 5

/** The nearest shard tops before a masterchain block. */
export interface Frontier {
  readonly tops: readonly ShardTop[]
  /** Masterchain blocks since then, up to and including the block itself. */
  readonly distance: number
}

/**
 * Masterchain blocks by seqno, and the shard tops of recently fetched ones. Use one per process, so that work
 * on neighbouring blocks shares what it fetches.
 */
export class MasterchainBlocks {
  private readonly ids = new RecentMap<number, BlockId>(KEPT)
  private readonly fetching = new Map<string, Promise<MasterchainBlock>>()
  private readonly frontiers = new RecentMap<string, readonly ShardTop[]>(KEPT)

  constructor(private readonly source: Pick<BlockSource, 'masterchainBlockId' | 'getBlock'>) {}

  /** Records the id of a block known from elsewhere, such as the head, so that it need not be looked up. */
  learn(id: BlockId): void {
    this.ids.set(id.seqno, id)
  }

  /** `expected`: the id of the block according to its successor, which saves a lookup. */
  async bySeqno(seqno: McBlockSeqno, asking: Asking, expected?: BlockId): Promise<MasterchainBlock> {
    for (let attempt = 1; ; attempt++) {
      const known = (attempt === 1 ? expected : undefined) ?? this.ids.get(seqno)
      const id = known ?? (await this.source.masterchainBlockId(seqno, asking))
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

  /**
   * Shard tops before this masterchain block; none before the first one. The shard blocks of undecodable
   * masterchain blocks, however many there are, are counted to the next one that can be decoded.
   */
  async frontierBefore(block: BlockSkeleton, asking: Asking): Promise<Frontier> {
    let previous: BlockId | undefined = block.prev[0]
    let distance = 1
    for (; previous && previous.seqno > 0; distance++) {
      const known = this.frontiers.get(blockKey(previous))
      if (known) return { tops: known, distance }
      const { raw, skeleton } = await this.byId(previous, asking)
      if (skeleton?.shardTops) return { tops: skeleton.shardTops, distance }
      previous = readPredecessors(raw)?.[0] ?? (await this.idBefore(previous, asking))
    }
    return { tops: [], distance }
  }

  /** Undefined for the first block: servers know no zerostate by seqno. */
  private async idBefore({ seqno }: BlockId, asking: Asking): Promise<BlockId | undefined> {
    return seqno > 1 ? this.source.masterchainBlockId(seqno - 1, asking) : undefined
  }

  private async byId(id: BlockId, asking: Asking): Promise<MasterchainBlock> {
    const key = blockKey(id)
    // The call that started the fetch may have been aborted, which must not fail this one.
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
    if (skeleton?.shardTops) this.frontiers.set(blockKey(id), skeleton.shardTops)
    return { raw, skeleton }
  }
}
