import type { BlockId } from '@shardwalk/model'

/** Files of blocks that arrived before they were asked for; the oldest go first. */
export class KeptBlocks {
  /** By file hash, the only part of an id that the bytes prove. */
  private readonly blocks = new Map<string, Buffer>()
  private size = 0

  /** Bytes that are kept at most. */
  constructor(private readonly limit: number) {}

  /** SHA-256 of the bytes must be the id's file hash. */
  add(id: BlockId, bytes: Buffer): void {
    const key = id.fileHash.toString('latin1')
    if (this.blocks.has(key)) return
    this.blocks.set(key, bytes)
    this.size += bytes.length
    for (const [oldest, { length }] of this.blocks) {
      if (this.size <= this.limit) return
      this.blocks.delete(oldest)
      this.size -= length
    }
  }

  find({ fileHash }: BlockId): Buffer | undefined {
    return this.blocks.get(fileHash.toString('latin1'))
  }
}
