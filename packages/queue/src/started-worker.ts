import { sleep, untilAborted } from '@shardwalk/concurrency'
import type { Worker } from 'bullmq'

/** Between two attempts to connect. */
const RETRY_MS = 500

/**
 * Runs a worker as soon as its store has answered. One whose first connection fails is replaced: bullmq keeps
 * that failure, and its main loop would retry without ever waiting, which blocks the event loop forever.
 */
export class StartedWorker {
  private worker: Worker
  private readonly closing = new AbortController()

  /** `open` makes a worker that does not run by itself and reports its own errors. */
  constructor(private readonly open: () => Worker) {
    this.worker = open()
    this.start().catch((error: Error) => this.worker.emit('error', error))
  }

  private async start(): Promise<void> {
    const { signal } = this.closing
    while (!(await this.isReady())) {
      await this.worker.close(true)
      await sleep(RETRY_MS, signal)
      if (signal.aborted) return
      this.worker = this.open()
    }
    if (!signal.aborted) await this.worker.run()
  }

  private async isReady(): Promise<boolean> {
    const { signal } = this.closing
    try {
      await untilAborted(this.worker.waitUntilReady(), signal)
    } catch (error) {
      if (signal.aborted) return true
      this.worker.emit('error', error as Error)
      return false
    }
    return true
  }

  /** Resolves when running jobs have ended. */
  close(): Promise<void> {
    this.closing.abort()
    return this.worker.close()
  }
}
