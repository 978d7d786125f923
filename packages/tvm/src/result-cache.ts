/** Keeps the most recently used results. */
export class ResultCache<T> {
  private readonly entries = new Map<string, T>()

  constructor(private readonly size: number) {}

  get(key: string): T | undefined {
    const value = this.entries.get(key)
    if (value === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, value)
    return value
  }

  set(key: string, value: T): void {
    if (this.size === 0) return
    this.entries.set(key, value)
    if (this.entries.size <= this.size) return
    const oldest = this.entries.keys().next().value
    if (oldest !== undefined) this.entries.delete(oldest)
  }
}
