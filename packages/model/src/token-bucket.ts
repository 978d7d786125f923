/** A rate, and how far it may be exceeded for a moment. */
export interface Rate {
  /** Tokens that may be taken at once. */
  readonly burst: number
  readonly perSecond: number
}

/** Allows a rate with bursts. */
export class TokenBucket {
  private tokens: number
  private filledAt: number | undefined

  constructor(private readonly rate: Rate) {
    this.tokens = rate.burst
  }

  /** Takes a token; false if there is none. `now`: monotonic milliseconds. */
  take(now: number): boolean {
    const { burst, perSecond } = this.rate
    const passedMs = now - (this.filledAt ?? now)
    this.tokens = Math.min(burst, this.tokens + (passedMs / 1_000) * perSecond)
    this.filledAt = now
    if (this.tokens < 1) return false
    this.tokens--
    return true
  }
}

const MAX_SOURCES = 4_096

/** A bucket for each source. Forgets all when there are too many: limit the total beside it. */
export class TokenBuckets {
  private readonly buckets = new Map<string, TokenBucket>()

  constructor(private readonly rate: Rate) {}

  take(source: string, now: number): boolean {
    let bucket = this.buckets.get(source)
    if (!bucket) {
      if (this.buckets.size >= MAX_SOURCES) this.buckets.clear()
      bucket = new TokenBucket(this.rate)
      this.buckets.set(source, bucket)
    }
    return bucket.take(now)
  }
}
