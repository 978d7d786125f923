import type { BlockId } from '@shardwalk/model'
import { ownCopy } from './own-memory.ts'

/** What of the blocks that arrived is kept in memory. */
export interface KeptLimits {
  readonly bytes: number
  /** Milliseconds after which a block is no longer expected to be requested. */
  readonly ageMs: number
}

interface Kept {
  readonly bytes: Buffer
  readonly since: number
}

/** Files of blocks that arrived before they were asked for; the oldest go first. */
export class KeptBlocks {
  /** By file hash, the only part of an id that the bytes prove; oldest first. */
  private readonly blocks = new Map<string, Kept>()
  private size = 0

  /** `now`: monotonic milliseconds. */
  constructor(
    private readonly limits: KeptLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** SHA-256 of the bytes must be the id's file hash. */
  add(id: BlockId, bytes: Buffer): void {
    const key = id.fileHash.toString('latin1')
    if (this.blocks.has(key)) return
    const since = this.now()
    const isWhole = bytes.buffer.byteLength === bytes.length
    this.blocks.set(key, { bytes: isWhole ? bytes : ownCopy(bytes), since })
    this.size += bytes.length
    for (const [oldest, kept] of this.blocks) {
      if (this.size <= this.limits.bytes && since - kept.since <= this.limits.ageMs) return
      this.blocks.delete(oldest)
      this.size -= kept.bytes.length
    }
  }

  find({ fileHash }: BlockId): Buffer | undefined {
    return this.blocks.get(fileHash.toString('latin1'))?.bytes
  }
}
