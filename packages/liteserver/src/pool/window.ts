const START = 8
const MAX = 32
/** Failures within this time count as one, however many queries they affect. */
const SHRINK_PAUSE_MS = 1000

/** Limit of outstanding queries per server: grows while response times are stable, halves on overload. */
export class QueryWindow {
  inFlight = 0
  private currentSize = START
  private shrunkAt = Number.NEGATIVE_INFINITY

  get size(): number {
    return Math.floor(this.currentSize)
  }

  get free(): boolean {
    return this.inFlight < this.size
  }

  /**
   * Records an answer. `keptPace`: not much slower than usual. The window grows only if it was fully used.
   */
  succeeded(keptPace: boolean): void {
    if (keptPace && this.inFlight >= this.size - 1)
      this.currentSize = Math.min(MAX, this.currentSize + 1 / this.currentSize)
  }

  /** Halves the window after a timeout or a rate limit. */
  shrink(now: number): void {
    if (now - this.shrunkAt < SHRINK_PAUSE_MS) return
    this.shrunkAt = now
    this.currentSize = Math.max(1, this.currentSize / 2)
  }

  /** Resets the window for a new connection. */
  reset(): void {
    this.currentSize = START
  }
}

/** Moving average of response times in milliseconds. */
export class Latency {
  private value: number | undefined

  /** Undefined until there is a measurement. */
  get ms(): number | undefined {
    return this.value
  }

  add(ms: number): void {
    this.value = this.value === undefined ? ms : this.value + (ms - this.value) / 5
  }
}
