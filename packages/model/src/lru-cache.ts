/** Limits of a cache. Default of each: none. */
export interface CacheLimits {
  /** Number of entries; 0: nothing is kept. */
  readonly entries?: number | undefined
  /** What all entries together take of memory. */
  readonly bytes?: number | undefined
}

/**
 * Keeps the values that were used last. The newest one stays however many bytes it takes, until another one
 * is set: whoever has set it may read it again at once.
 */
export class LruCache<K, V> {
  private readonly entries = new Map<K, { readonly value: V; readonly bytes: number }>()
  private readonly most: number
  private readonly mostBytes: number
  private used = 0

  constructor({ entries = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY }: CacheLimits) {
    this.most = entries
    this.mostBytes = bytes
  }

  /** What all entries take. */
  get bytes(): number {
    return this.used
  }

  get(key: K): V | undefined {
    const entry = this.entries.get(key)
    if (!entry) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  set(key: K, value: V, bytes = 0): void {
    this.delete(key)
    this.entries.set(key, { value, bytes })
    this.used += bytes
    for (const [oldest, entry] of this.entries) {
      const isCrowded = this.entries.size > this.most
      if (!isCrowded && (this.used <= this.mostBytes || oldest === key)) return
      // Entries without bytes make no room.
      if (isCrowded || entry.bytes > 0) this.delete(oldest)
    }
  }

  delete(key: K): void {
    this.used -= this.entries.get(key)?.bytes ?? 0
    this.entries.delete(key)
  }
}
