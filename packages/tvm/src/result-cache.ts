/** Limits of a cache: `size` in results, `bytes` by what `weigh` says of each. */
export interface ResultCacheOptions<T> {
  /** Of results; 0: nothing is kept. */
  readonly size: number
  /** Of memory, for all of them together. */
  readonly bytes: number
  readonly weigh: (value: T) => number
}

/** Keeps the most recently used results. */
export class ResultCache<T> {
  private readonly entries = new Map<string, { readonly value: T; readonly weight: number }>()
  private weight = 0

  constructor(private readonly options: ResultCacheOptions<T>) {}

  get(key: string): T | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: T): void {
    const { size, bytes, weigh } = this.options
    if (size === 0) return
    this.drop(key)
    const weight = weigh(value)
    this.entries.set(key, { value, weight })
    this.weight += weight
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= size && this.weight <= bytes) return
      this.drop(oldest)
    }
  }

  private drop(key: string): void {
    this.weight -= this.entries.get(key)?.weight ?? 0
    this.entries.delete(key)
  }
}
