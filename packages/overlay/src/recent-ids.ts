/** Ids that were seen lately, oldest first. */
export class RecentIds {
  private readonly seenAt = new Map<string, number>()

  constructor(
    private readonly keepMs: number,
    private readonly max: number,
  ) {}

  has(id: string, now: number): boolean {
    const seenAt = this.seenAt.get(id)
    return seenAt !== undefined && now - seenAt < this.keepMs
  }

  add(id: string, now: number): void {
    for (const [old, seenAt] of this.seenAt) {
      if (now - seenAt < this.keepMs && this.seenAt.size < this.max) break
      this.seenAt.delete(old)
    }
    this.seenAt.delete(id)
    this.seenAt.set(id, now)
  }
}
