import { RateLimiterMemory } from 'rate-limiter-flexible'

/** Requests with an invalid or missing key that an address may send per window. */
const MAX_FAILURES = 20
const WINDOW_SECONDS = 10

/**
 * Counts failed authentications per client address in this process. An address over the limit is rejected
 * without a lookup, so that guessed keys do not reach the database.
 */
export class FailedAttempts {
  private readonly counter = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS })

  /**
   * Counts an attempt before its outcome is known, so that concurrent attempts count too. Returns 0, or, if
   * the address is over the limit, the seconds until it may try again; the attempt does not count then.
   */
  async begin(address: string): Promise<number> {
    // Looked at and counted at once: of requests that have waited for the same thing, each would see the
    // count as it was before all of them.
    const { consumedPoints, msBeforeNext } = await this.counter.penalty(address, 1)
    if (consumedPoints <= MAX_FAILURES) return 0
    await this.counter.reward(address, 1)
    // The window ends by a timer; the clock that its remaining time is taken from may have been set back.
    return Math.min(Math.max(1, Math.ceil(msBeforeNext / 1000)), WINDOW_SECONDS)
  }

  /** Undoes `begin` after a successful attempt. */
  async succeed(address: string): Promise<void> {
    await this.counter.reward(address, 1)
  }
}
