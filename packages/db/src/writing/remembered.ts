/**
 * Caches which rows are in a table, by key. Bounded by two generations, so that entries in use stay. Add keys
 * after the commit; clear when commits may have been lost: see `BatchSink`.
 */
export class Remembered<Value> {
  private recent = new Map<string, Value>()
  private older = new Map<string, Value>()

  constructor(private readonly most: number) {}

  get(key: string): Value | undefined {
    const recent = this.recent.get(key)
    if (recent !== undefined) return recent
    const older = this.older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Value): void {
    this.recent.set(key, value)
    if (this.recent.size < this.most / 2) return
    this.older = this.recent
    this.recent = new Map()
  }

  forget(): void {
    this.recent.clear()
    this.older.clear()
  }
}
