import { type BlockId, blockKey } from '@shardwalk/model'
import type { AskOptions, BlockSource } from './ports.ts'

/** With a shorter round trip, asking early gains less than the additional requests cost. */
const WORTH_MS = 40
/** Number of blocks kept for the masterchain blocks that will commit them. */
const KEPT = 64

/**
 * Shard blocks that are requested before the masterchain block that commits them is known. The next block of
 * a shard has the next seqno, and a server that is asked to wait for the masterchain block returns the shard
 * block at the same moment.
 */
export class EarlyShardBlocks {
  private readonly blocks = new Map<string, Promise<Buffer>>()

  constructor(private readonly source: Pick<BlockSource, 'findBlock' | 'getBlock' | 'roundTripMs'>) {}

  /** `tops`: shard tops before masterchain block `mcBlockSeqno`, which does not exist yet. */
  expect(tops: readonly BlockId[], mcBlockSeqno: number): void {
    const { source } = this
    if (!source.findBlock || (source.roundTripMs?.() ?? 0) < WORTH_MS) return
    const asking: AskOptions = { urgent: true, once: true, mcBlockSeqno }
    for (const { workchain, shard, seqno } of tops)
      source.findBlock({ workchain, shard, seqno: seqno + 1 }, asking).then(
        (id) => this.get(id, { urgent: true, mcBlockSeqno }).catch(() => {}),
        // The shard has no new block; the usual walk finds that out.
        () => {},
      )
  }

  /** The block's bytes, from an earlier request for it if there was one. */
  get(id: BlockId, asking: AskOptions): Promise<Buffer> {
    const key = blockKey(id)
    const early = this.blocks.get(key)
    if (early) return early.catch(() => this.source.getBlock(id, asking))
    const bytes = this.source.getBlock(id, asking)
    if (this.blocks.size >= KEPT) this.blocks.delete(this.blocks.keys().next().value!)
    this.blocks.set(key, bytes)
    return bytes
  }
}
