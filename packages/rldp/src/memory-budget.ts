/** Bytes that all transfers of a process may hold at a time. */
export class MemoryBudget {
  private used = 0
  private forUnrequested: MemoryBudget | undefined

  /** Default: 64 MiB. What is taken is taken of `whole` too. */
  constructor(
    private readonly limit = 64 << 20,
    private readonly whole?: MemoryBudget,
  ) {}

  /** The part for unrequested transfers, so that those of many peers cannot displace answers. */
  get unrequested(): MemoryBudget {
    this.forUnrequested ??= new MemoryBudget(this.limit >> 3, this)
    return this.forUnrequested
  }

  get inUse(): number {
    return this.used
  }

  /** Reserves bytes; false if they would exceed the limit. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.limit || this.whole?.take(bytes) === false) return false
    this.used += bytes
    return true
  }

  release(bytes: number): void {
    this.used -= bytes
    this.whole?.release(bytes)
  }
}
