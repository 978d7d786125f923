/** Bytes that all transfers of a process may hold at a time. */
export class MemoryBudget {
  private used = 0

  /** Default: 64 MiB. */
  constructor(private readonly limit = 64 << 20) {}

  get inUse(): number {
    return this.used
  }

  /** Reserves bytes; false if they would exceed the limit. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.limit) return false
    this.used += bytes
    return true
  }

  release(bytes: number): void {
    this.used -= bytes
  }
}
