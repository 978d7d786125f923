/** Lowest rate to which refusals can reduce a limit, in requests per second. */
const MIN_RATE = 0.1
/** Accepted requests are counted over this time to estimate the limit at the first refusal. */
const MEASURED_MS = 10_000
const SECOND = 1000
/** Factor after a refusal while other requests are accepted, and after refusals alone. */
const REDUCTION = 0.97
const STEEP_REDUCTION = 0.5
/** Growth per second of full use: a base, more for each second since the last refusal, and a maximum. */
const GROWTH = 0.002
const GROWTH_PER_SECOND = 0.0005
const MAX_GROWTH = 0.1
/** Growth after the first estimate, which a burst makes too low by up to five times; refusals reduce it. */
const GROWTH_OF_ESTIMATE = 0.2
/** Tokens that only urgent requests may take. */
const RESERVE = 1
/** Tokens after a refusal. */
const LEFT_AFTER_REFUSAL = 0.9
/** Part of a second's tokens that may accumulate: servers that count over short windows refuse bursts. */
const BURST = 0.1

/**
 * Token bucket whose rate is learned from a server's refusals. There is no limit before the first one. The
 * rate falls with every refusal and grows slowly while it is fully used, so it stays close to the server's.
 */
export class RateLimit {
  private rate = Number.POSITIVE_INFINITY
  private tokens = 0
  private filledAt = 0
  private reducedAt = Number.NEGATIVE_INFINITY
  private grownAt = 0
  private acceptedSinceRefusal = 0
  private wasFullyUsed = false
  /** Additional growth per second while the limit is being found. */
  private searchGrowth = GROWTH_OF_ESTIMATE
  private accepted: number[] = []

  /** Requests per second; undefined if no limit is known. */
  get perSecond(): number | undefined {
    return Number.isFinite(this.rate) ? this.rate : undefined
  }

  /** Whether a request may be sent now. The last token is kept for urgent ones. */
  allows(urgent: boolean, now: number): boolean {
    if (this.perSecond === undefined) return true
    this.fill(now)
    return this.tokens >= (urgent ? 1 : 1 + RESERVE)
  }

  /** Charges a request that is about to be sent. The balance may become negative. */
  take(now: number): void {
    if (this.perSecond === undefined) return
    this.fill(now)
    this.tokens--
    this.wasFullyUsed = this.tokens < 1 + RESERVE
  }

  /** Records that the server processed a request. */
  succeeded(now: number): void {
    this.acceptedSinceRefusal++
    if (this.perSecond === undefined) {
      this.accepted.push(now)
      this.forgetBefore(now - MEASURED_MS)
      return
    }
    const elapsed = Math.min(now - this.grownAt, SECOND) / SECOND
    this.grownAt = now
    if (!this.wasFullyUsed) return
    const calm = (now - this.reducedAt) / SECOND
    const learned = Math.min(GROWTH + GROWTH_PER_SECOND * calm, MAX_GROWTH)
    this.rate *= 1 + elapsed * (learned + this.searchGrowth)
  }

  /**
   * Records a refusal. A request sent less than a second after the last reduction may be refused because of
   * earlier requests, so it is ignored.
   */
  refused(sentAt: number, now: number): void {
    this.tokens = Math.min(this.tokens, LEFT_AFTER_REFUSAL)
    if (sentAt < this.reducedAt + SECOND) return
    if (this.perSecond === undefined) this.rate = this.measured(now)
    else {
      this.rate *= this.acceptedSinceRefusal > 0 ? REDUCTION : STEEP_REDUCTION
      this.searchGrowth /= 3
    }
    this.rate = Math.max(this.rate, MIN_RATE)
    this.acceptedSinceRefusal = 0
    this.reducedAt = now
    this.grownAt = now
    this.filledAt = now
  }

  /** Accepted requests per second, over at least one second. */
  private measured(now: number): number {
    this.forgetBefore(now - MEASURED_MS)
    const elapsed = now - (this.accepted[0] ?? now)
    const rate = this.accepted.length / (Math.max(elapsed, SECOND) / SECOND)
    this.accepted = []
    return Math.max(rate, 1)
  }

  private fill(now: number): void {
    const capacity = 1 + RESERVE + this.rate * BURST
    this.tokens = Math.min(capacity, this.tokens + ((now - this.filledAt) / SECOND) * this.rate)
    this.filledAt = now
  }

  private forgetBefore(time: number): void {
    const first = this.accepted.findIndex((at) => at >= time)
    if (first > 0) this.accepted.splice(0, first)
  }
}
