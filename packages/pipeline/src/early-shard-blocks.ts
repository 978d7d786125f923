import { type BlockId, blockKey, RecentMap } from '@shardwalk/model'
import type { AskOptions, BlockSource } from './ports.ts'

/** With a shorter round trip, asking early gains less than the additional requests cost. */
const WORTH_MS = 40
/** Questions that wait for the next block take the places of others at the servers. */
const MAX_EXPECTED = 16
/** Of blocks whose batch is not complete yet, the largest of which has 2,000. Bytes. */
const MAX_KEPT = 64 * 1024 * 1024
/** Number of blocks kept after their batch was complete, for requests that come late. */
const KEPT_USED = 64

interface Kept {
  readonly bytes: Promise<Buffer>
  /** 0 until they have arrived. */
  size: number
}

/**
 * Shard blocks of the head. They are requested before the masterchain block that commits them is known: the
 * next block of a shard has the next seqno, and a server that is asked to wait for the masterchain block
 * returns the shard block at the same moment. What has arrived is kept until the batch is complete, because a
 * batch that takes long is interrupted and begun again.
 */
export class EarlyShardBlocks {
  private readonly blocks = new Map<string, Kept>()
  private readonly used = new RecentMap<string, Promise<Buffer>>(KEPT_USED)
  private size = 0

  constructor(private readonly source: Pick<BlockSource, 'findBlock' | 'getBlock' | 'roundTripMs'>) {}

  /**
   * `tops`: shard tops before masterchain block `mcBlockSeqno`, which does not exist yet. Does nothing if
   * there are many.
   */
  expect(tops: readonly BlockId[], mcBlockSeqno: number): void {
    const { source } = this
    if (!source.findBlock || (source.roundTripMs?.() ?? 0) < WORTH_MS || tops.length > MAX_EXPECTED) return
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
    const early = this.blocks.get(key)?.bytes ?? this.used.get(key)
    if (early) return early.catch(() => this.get(id, asking))
    const kept: Kept = { bytes: this.source.getBlock(id, asking), size: 0 }
    this.blocks.set(key, kept)
    kept.bytes.then(
      ({ length }) => this.arrived(key, kept, length),
      () => this.drop(key, kept),
    )
    return kept.bytes
  }

  /** Call it with the blocks of a complete batch. */
  complete(ids: readonly BlockId[]): void {
    for (const key of ids.map(blockKey)) {
      const kept = this.blocks.get(key)
      // What is asked for again, because the bytes did not fit, may still fail.
      if (!kept || kept.size === 0) continue
      this.drop(key, kept)
      this.used.set(key, kept.bytes)
    }
  }

  private arrived(key: string, kept: Kept, size: number): void {
    if (this.blocks.get(key) !== kept) return
    kept.size = size
    this.size += size
    for (const [oldest, other] of this.blocks) {
      if (this.size <= MAX_KEPT) break
      if (other.size > 0) this.drop(oldest, other)
    }
  }

  private drop(key: string, kept: Kept): void {
    if (this.blocks.get(key) !== kept) return
    this.blocks.delete(key)
    this.size -= kept.size
  }
}
