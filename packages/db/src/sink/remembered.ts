/**
 * Keys of rows that are known to be in a table. Bounded: two generations, what is used stays. To be added after the commit, and forgotten
 * with it: see `BatchSink`.
 */
export class Remembered {
  private recent = new Set<string>()
  private older = new Set<string>()

  constructor(private readonly most: number) {}

  has(key: string): boolean {
    if (this.recent.has(key)) return true
    if (!this.older.has(key)) return false
    this.add(key)
    return true
  }

  add(key: string): void {
    this.recent.add(key)
    if (this.recent.size < this.most / 2) return
    this.older = this.recent
    this.recent = new Set()
  }

  forget(): void {
    this.recent.clear()
    this.older.clear()
  }
}
