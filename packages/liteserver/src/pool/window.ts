const START = 8
const MAX = 32
/** One burst of failures is one event, however many queries it takes down. */
const SHRINK_PAUSE_MS = 1000

/** How many queries may be out at one server: grows while the server keeps its pace, halves when it asks for less. */
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

  /** An answer came. `keptPace`: not much slower than this server usually is. Only a used-up window says anything about a larger one. */
  succeeded(keptPace: boolean): void {
    if (keptPace && this.inFlight >= this.size - 1)
      this.currentSize = Math.min(MAX, this.currentSize + 1 / this.currentSize)
  }

  /** A timeout or a rate limit. */
  shrink(now: number): void {
    if (now - this.shrunkAt < SHRINK_PAUSE_MS) return
    this.shrunkAt = now
    this.currentSize = Math.max(1, this.currentSize / 2)
  }

  /** A new connection starts afresh. */
  reset(): void {
    this.currentSize = START
  }
}

/** Moving average of answer times, milliseconds. */
export class Latency {
  private value: number | undefined

  /** Undefined until something was measured. */
  get ms(): number | undefined {
    return this.value
  }

  add(ms: number): void {
    this.value = this.value === undefined ? ms : this.value + (ms - this.value) / 5
  }
}
