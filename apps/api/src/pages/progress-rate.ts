/** Samples older than this do not count. Milliseconds. */
const WINDOW_MS = 60_000
/** A shorter time says nothing of the rate. Milliseconds. */
const MIN_MS = 4_000

interface Sample {
  readonly at: number
  readonly indexed: number
  readonly missing: number
}

/** How fast indexing proceeds. */
export interface ProgressRate {
  /** Masterchain blocks indexed per second; undefined until it has been watched for some seconds. */
  readonly blocksPerSecond: number | undefined
  /** Estimated time until nothing is missing; undefined if nothing is, or the number does not fall. */
  readonly secondsLeft: number | undefined
}

/** The rate of progress over the last minute, from samples taken whenever it is read. */
export class RateWatch {
  private samples: Sample[] = []

  /** `at`: milliseconds of a clock that does not jump. */
  add(sample: Sample): ProgressRate {
    const isNewStart = sample.indexed < (this.samples.at(-1)?.indexed ?? 0)
    this.samples = isNewStart ? [] : this.samples.filter(({ at }) => at > sample.at - WINDOW_MS)
    this.samples.push(sample)
    const first = this.samples[0]!
    const seconds = (sample.at - first.at) / 1000
    if (seconds < MIN_MS / 1000) return { blocksPerSecond: undefined, secondsLeft: undefined }
    const closed = (first.missing - sample.missing) / seconds
    return {
      blocksPerSecond: (sample.indexed - first.indexed) / seconds,
      secondsLeft: sample.missing > 0 && closed > 0 ? sample.missing / closed : undefined,
    }
  }
}
