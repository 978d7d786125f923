const INITIAL_BAN_MS = 10 * 60_000
const MAX_BAN_MS = 6 * 60 * 60_000

/** The bans of one server, each four times as long as the one before. `now`: a clock that does not jump. */
export class Bans {
  /** When the last one was imposed or confirmed. */
  reportedAt: number | undefined
  private until = Number.NEGATIVE_INFINITY
  private count = 0

  isActive(now: number): boolean {
    return now < this.until
  }

  /** Reports during a ban do not make the next one longer. */
  add(now: number): void {
    if (!this.isActive(now)) this.count++
    this.reportedAt = now
    this.until = now + Math.min(INITIAL_BAN_MS * 4 ** (this.count - 1), MAX_BAN_MS)
  }
}
