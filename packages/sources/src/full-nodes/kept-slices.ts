import type { BlockId } from '@shardwalk/model'

/** Part of the chain from an archive file, proven. */
export interface Slice {
  readonly start: number
  /** Masterchain blocks by seqno. */
  readonly ids: ReadonlyMap<number, BlockId>
  /** All blocks, by file hash in latin1. */
  readonly blocks: ReadonlyMap<string, Buffer>
  /** Bytes of the files, which the blocks are views of. */
  readonly size: number
}

export interface KeptSlicesLimits {
  readonly bytes: number
  /** Milliseconds for which a slice is kept of which nothing is asked. */
  readonly idleMs: number
}

/** Slices that jobs take blocks from; those that were added first go first. */
export class KeptSlices {
  private readonly slices = new Map<number, { readonly slice: Slice; usedAt: number }>()

  /** `now`: monotonic milliseconds. */
  constructor(
    private readonly limits: KeptSlicesLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The newest one is kept whatever its size is. */
  add(slice: Slice): void {
    this.slices.delete(slice.start)
    this.slices.set(slice.start, { slice, usedAt: this.now() })
    let size = [...this.slices.values()].reduce((sum, kept) => sum + kept.slice.size, 0)
    for (const [start, kept] of this.slices) {
      if (size <= this.limits.bytes || kept.slice === slice) break
      this.slices.delete(start)
      size -= kept.slice.size
    }
  }

  findBlock({ fileHash }: BlockId): Buffer | undefined {
    const key = fileHash.toString('latin1')
    return this.find(({ blocks }) => blocks.get(key))
  }

  findId(seqno: number): BlockId | undefined {
    return this.find(({ ids }) => ids.get(seqno))
  }

  private find<T>(read: (slice: Slice) => T | undefined): T | undefined {
    for (const kept of this.slices.values()) {
      const found = read(kept.slice)
      if (found === undefined) continue
      kept.usedAt = this.now()
      return found
    }
    return undefined
  }

  /** Releases slices that are not in use: all of them once history is complete. Must be called regularly. */
  dropIdle(): void {
    const now = this.now()
    for (const [start, { usedAt }] of this.slices)
      if (now - usedAt > this.limits.idleMs) this.slices.delete(start)
  }
}
