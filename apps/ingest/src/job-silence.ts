import { IdleTimer } from '@shardwalk/concurrency'

/** Aborts a job that neither receives nor writes anything for too long. */
export class JobSilence {
  private readonly timer: IdleTimer
  private isWaiting = false
  private isOver = false

  constructor(limitMs: number, controller: AbortController) {
    this.timer = new IdleTimer(limitMs, () => controller.abort(new Error(`no progress within ${limitMs} ms`)))
  }

  /** Something has arrived, perhaps after the job was cancelled. */
  touch(): void {
    if (!this.isWaiting && !this.isOver) this.timer.touch()
  }

  /** The job waits for its turn to write, which does not count, however long other jobs write. */
  wait(): void {
    this.isWaiting = true
    this.timer.stop()
  }

  beginToWrite(): void {
    this.isWaiting = false
    this.timer.touch()
  }

  end(): void {
    this.isOver = true
    this.timer.stop()
  }
}
