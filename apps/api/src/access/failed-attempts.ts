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

  /** Seconds until the address may try again; 0 if it may now. */
  async blockedFor(address: string): Promise<number> {
    const state = await this.counter.get(address)
    if (!state || state.consumedPoints < MAX_FAILURES) return 0
    return Math.max(1, Math.ceil(state.msBeforeNext / 1000))
  }

  /** Counts an attempt before its outcome is known, so that concurrent attempts count too. */
  async begin(address: string): Promise<void> {
    await this.counter.penalty(address, 1)
  }

  /** Undoes `begin` after a successful attempt. */
  async succeed(address: string): Promise<void> {
    await this.counter.reward(address, 1)
  }
}
