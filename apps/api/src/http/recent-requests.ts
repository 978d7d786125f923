/** Requests that count. Milliseconds. */
const WINDOW_MS = 60_000
/** The newest requests whose times are kept. */
const SAMPLES = 2048

/** Figures of the status page. */
export interface RecentFigures {
  /** Over the last minute, or since the start. */
  readonly perSecond: number
  /** Of the newest requests of the last minute, at most 2048; undefined: there was none. Milliseconds. */
  readonly p50: number | undefined
  readonly p99: number | undefined
}

/** Number and times of the requests of the last minute, for the status page. */
export class RecentRequests {
  private readonly startedAt: number
  private readonly endedAt = new Float64Array(SAMPLES).fill(Number.NEGATIVE_INFINITY)
  private readonly took = new Float64Array(SAMPLES)
  private count = 0

  /** `now`: milliseconds of a clock that does not jump. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.startedAt = now()
  }

  note(ms: number): void {
    const at = this.count++ % SAMPLES
    this.endedAt[at] = this.now()
    this.took[at] = ms
  }

  read(): RecentFigures {
    const now = this.now()
    const since = now - WINDOW_MS
    const times = this.took.filter((_, i) => this.endedAt[i]! > since).sort()
    const percentile = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
    return { perSecond: this.perSecond(now, times.length), p50: percentile(0.5), p99: percentile(0.99) }
  }

  private perSecond(now: number, samples: number): number {
    // If every sample is recent, older ones may have been overwritten: they span less than a minute.
    const oldest = samples === SAMPLES ? this.endedAt[this.count % SAMPLES]! : now - WINDOW_MS
    return (samples * 1000) / Math.max(1000, now - Math.max(oldest, this.startedAt))
  }
}
