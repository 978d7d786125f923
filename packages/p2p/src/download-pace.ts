import { sleep } from '@shardwalk/concurrency'

/** Keeps the mean rate of downloads below a limit. Urgent downloads count but do not wait. */
export class DownloadPace {
  private freeAt = 0
  /** Bytes so far. */
  total = 0

  /** Bytes per second; undefined: no limit. */
  constructor(private readonly limit: number | undefined) {}

  received(bytes: number): void {
    this.total += bytes
    if (this.limit === undefined) return
    this.freeAt = Math.max(this.freeAt, performance.now()) + (bytes / this.limit) * 1_000
  }

  /** Resolves when the next download may begin. */
  async rest(): Promise<void> {
    const waitMs = this.freeAt - performance.now()
    if (waitMs > 0) await sleep(waitMs)
  }
}
