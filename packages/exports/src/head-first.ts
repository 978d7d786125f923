import { realTime, type Time } from '@shardwalk/concurrency'

/** Interval of checking the head. Milliseconds. */
const CHECK_MS = 500
/**
 * Longest pause, after which some rows are read: every export ends at last, and those over HTTP are never
 * silent for 30 s, after which clients and proxies give up. Milliseconds.
 */
const LONGEST_MS = 20_000

/** Exports pause while the index is behind the head of the chain. */
export interface HeadFirstOptions {
  /** Masterchain blocks that the index is behind the head. */
  readonly behind: () => Promise<number>
  /** Blocks behind from which on exports pause; 0: they never do. */
  readonly most: number
  /** Called when a pause begins. */
  readonly onPause?: (behind: number) => void
}

/** Exports read no further while indexing lags behind the head, because both use the same database. */
export class HeadFirst {
  private readAt = Number.NEGATIVE_INFINITY
  private behind = 0

  constructor(
    private readonly options: HeadFirstOptions,
    private readonly time: Time = realTime,
  ) {}

  /** Resolves when rows may be read. Rejects when `signal` is aborted, and with the errors of `behind`. */
  async turn(signal?: AbortSignal): Promise<void> {
    const { most, onPause } = this.options
    if (most === 0 || (await this.blocksBehind()) <= most) return
    onPause?.(this.behind)
    for (let waited = 0; waited < LONGEST_MS; waited += CHECK_MS) {
      await this.time.sleep(CHECK_MS, signal)
      signal?.throwIfAborted()
      if ((await this.blocksBehind()) <= most) return
    }
  }

  private async blocksBehind(): Promise<number> {
    const now = this.time.now()
    if (now - this.readAt < CHECK_MS) return this.behind
    this.readAt = now
    this.behind = await this.options.behind()
    return this.behind
  }
}
