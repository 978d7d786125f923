import { setMaxListeners } from 'node:events'
import type { EncodedBatch } from '@shardwalk/db'
import { type IndexRangeOptions, indexRange } from '@shardwalk/pipeline'
import type { Job, JobQueue, JobWorker } from '@shardwalk/queue'
import type { Part } from './part.ts'

export interface JobsOptions extends Omit<IndexRangeOptions<EncodedBatch>, 'signal' | 'urgent' | 'now'> {
  readonly queue: JobQueue
  readonly backfillConcurrency: number
  /** Told after each job of any lane. */
  readonly onDone: (job: Job) => void
}

/** A job without a commit for this long is cancelled and run again. */
const SILENCE_MS = { head: 10_000, backfill: 60_000 } as const

/** Indexes the ranges that the queue names. The head has a lane of its own, which never waits for history. */
export class Jobs implements Part {
  private workers: readonly JobWorker[] = []
  private headJob: AbortController | undefined

  constructor(private readonly options: JobsOptions) {}

  async run(): Promise<void> {
    const { queue, backfillConcurrency } = this.options
    this.workers = [
      // One at a time, so that the newest blocks become visible in order.
      queue.work({ lane: 'head', concurrency: 1, handle: (job, { signal }) => this.indexHead(job, signal) }),
      queue.work({
        lane: 'backfill',
        concurrency: backfillConcurrency,
        handle: (job, { signal }) => this.index(job, signal, new AbortController()),
      }),
    ]
  }

  /** Accepts no new jobs and abandons running ones; uncommitted work is not recorded as done. */
  async close(timeoutMs: number): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close(timeoutMs)))
  }

  /** Ends the head's running job, which is then tried again. */
  abortHeadJobs(reason: Error): void {
    this.headJob?.abort(reason)
  }

  private async indexHead(job: Job, signal: AbortSignal): Promise<void> {
    const controller = new AbortController()
    this.headJob = controller
    await this.index(job, signal, controller).finally(() => {
      if (this.headJob === controller) this.headJob = undefined
    })
  }

  private async index(job: Job, stopping: AbortSignal, controller: AbortController): Promise<void> {
    const urgent = job.name === 'index_head'
    const silence = new Silence(urgent ? SILENCE_MS.head : SILENCE_MS.backfill, controller)
    const signal = AbortSignal.any([stopping, controller.signal])
    // Every fetch of the job listens to it.
    setMaxListeners(0, signal)
    const work = indexRange(job, {
      ...this.options,
      signal,
      urgent,
      now: () => performance.now(),
      onCommit: (batches, durationMs) => {
        silence.broken()
        this.options.onCommit(batches, durationMs)
      },
    })
    try {
      await Promise.race([work, rejection(signal)])
    } finally {
      silence.end()
      // Abandoned work may still fail; nobody waits for it any more.
      work.catch(() => {})
    }
    this.options.onDone(job)
  }
}

/** Aborts when nothing happened for a while. */
class Silence {
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly limitMs: number,
    private readonly controller: AbortController,
  ) {
    this.broken()
  }

  broken(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(
      () => this.controller.abort(new Error(`no progress within ${this.limitMs} ms`)),
      this.limitMs,
    )
  }

  end(): void {
    clearTimeout(this.timer)
  }
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
