/** Bounds of the time after which an answer is late. Milliseconds. */
export interface RoundTripLimits {
  /** Before anything is measured. */
  readonly firstMs: number
  readonly minMs: number
  readonly maxMs: number
}

const LIMITS: RoundTripLimits = { firstMs: 400, minMs: 60, maxMs: 2_000 }
/** Weights of a new sample. Source: RFC 6298, section 2. */
const OF_MEAN = 1 / 8
const OF_DEVIATION = 1 / 4
/** Weight in the deviation of answers that are much earlier: they are no reason to wait longer. */
const OF_EARLIER = 1 / 32
const DEVIATIONS = 4

/** How long answers take, and from when on one is late. Source: RFC 6298. Milliseconds. */
export class RoundTrip {
  private mean: number | undefined
  private deviation = 0

  constructor(private readonly limits: RoundTripLimits = LIMITS) {}

  get isMeasured(): boolean {
    return this.mean !== undefined
  }

  /** Undefined before the first sample. */
  get meanMs(): number | undefined {
    return this.mean
  }

  /** An answer that takes longer is lost, or as good as lost. */
  get timeoutMs(): number {
    const { firstMs, minMs, maxMs } = this.limits
    if (this.mean === undefined) return firstMs
    return Math.min(maxMs, Math.max(minMs, this.mean + DEVIATIONS * this.deviation))
  }

  sample(tookMs: number): void {
    if (this.mean === undefined) {
      this.mean = tookMs
      this.deviation = tookMs / 2
      return
    }
    const distance = Math.abs(tookMs - this.mean)
    const isEarlier = tookMs < this.mean && distance > this.deviation
    this.deviation += (distance - this.deviation) * (isEarlier ? OF_EARLIER : OF_DEVIATION)
    this.mean += (tookMs - this.mean) * OF_MEAN
  }
}
