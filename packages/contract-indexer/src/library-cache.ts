import type { Cell } from '@shardwalk/cells'

interface Entry {
  /** Undefined: no account publishes it. */
  readonly cell: Cell | undefined
  readonly bytes: number
  /** Milliseconds, as `performance.now()`. */
  readonly until: number
}

/** What an entry without a library takes. */
const SMALL = 200

/** Libraries by hash (hex), bounded by the size of their bags of cells: the least recently used go first. */
export class LibraryCache {
  private readonly entries = new Map<string, Entry>()
  private used = 0

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.used
  }

  /** Includes outdated entries, which are used until they have been looked up again. */
  get(hash: string): Entry | undefined {
    const entry = this.entries.get(hash)
    if (!entry) return undefined
    this.entries.delete(hash)
    this.entries.set(hash, entry)
    return entry
  }

  /** `size`: of the library's bag of cells. */
  set(hash: string, { cell, size, until }: { cell: Cell | undefined; size: number; until: number }): void {
    this.delete(hash)
    const bytes = SMALL + size
    this.entries.set(hash, { cell, bytes, until })
    this.used += bytes
    for (const oldest of this.entries.keys()) {
      if (this.used <= this.maxBytes || this.entries.size === 1) break
      this.delete(oldest)
    }
  }

  private delete(hash: string): void {
    this.used -= this.entries.get(hash)?.bytes ?? 0
    this.entries.delete(hash)
  }
}
