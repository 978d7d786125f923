const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 15_000
/** A server that ran this long was healthy. */
const HEALTHY_AFTER_MS = 60_000
/**
 * Number of consecutive failed starts after which the cause counts as permanent. A full disk may be freed at
 * any time.
 */
const MAX_FAILURES = 5

/** Decides when a server that exited or did not start is started again. */
export class RestartPolicy {
  private ends = 0
  private failures = 0

  /** Milliseconds to wait after a server ended that ran for `aliveMs`. */
  afterEnd(aliveMs: number): number {
    this.failures = 0
    // A single exit may be an accident; repeated ones have a cause that a restart does not remove.
    this.ends = aliveMs >= HEALTHY_AFTER_MS ? 1 : this.ends + 1
    return this.ends === 1 ? 0 : delayAfter(this.ends - 1)
  }

  /** Milliseconds to wait after a failed start; undefined to give up. */
  afterFailure({ diskFull }: { readonly diskFull: boolean }): number | undefined {
    this.failures++
    if (!diskFull && this.failures >= MAX_FAILURES) return undefined
    return delayAfter(this.failures)
  }
}

const delayAfter = (times: number): number =>
  Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(times - 1, 10))
