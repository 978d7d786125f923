const START = 8
const MAX = 32
/** One burst of failures is one event, however many queries it takes down. */
const SHRINK_PAUSE_MS = 1000

/** How many queries may be out at one server: grows while the server keeps its pace, halves when it asks for less. */
export class QueryWindow {
  inFlight = 0
  #size = START
  #shrunkAt = Number.NEGATIVE_INFINITY

  get size(): number {
    return Math.floor(this.#size)
  }

  get free(): boolean {
    return this.inFlight < this.size
  }

  /** An answer came. `keptPace`: not much slower than this server usually is. Only a used-up window says anything about a larger one. */
  succeeded(keptPace: boolean): void {
    if (keptPace && this.inFlight >= this.size - 1) this.#size = Math.min(MAX, this.#size + 1 / this.#size)
  }

  /** A timeout or a rate limit. */
  shrink(now: number): void {
    if (now - this.#shrunkAt < SHRINK_PAUSE_MS) return
    this.#shrunkAt = now
    this.#size = Math.max(1, this.#size / 2)
  }

  /** A new connection starts afresh. */
  reset(): void {
    this.#size = START
  }
}

/** Moving average of answer times, milliseconds. */
export class Latency {
  #value: number | undefined

  /** Undefined until something was measured. */
  get ms(): number | undefined {
    return this.#value
  }

  add(ms: number): void {
    this.#value = this.#value === undefined ? ms : this.#value + (ms - this.#value) / 5
  }
}
