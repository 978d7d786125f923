import { IndexerError } from '@shardwalk/model'
import { type Queue, type Job as StoredJob, UnrecoverableError, type Worker } from 'bullmq'
import { type Backend, openBackend, type QueueStore } from './backends.ts'
import { Job, jobId, LANES, type Lane, ROUTES, retryDelayMs } from './jobs.ts'

/** What happened in the queue, for logs and metrics. The queue itself never logs. */
export type QueueEvent =
  | {
      readonly type: 'failed'
      readonly job: Job | undefined
      readonly error: Error
      readonly willRetry: boolean
    }
  | { readonly type: 'stalled'; readonly id: string }
  | { readonly type: 'store_error'; readonly error: Error }

export interface JobQueueOptions {
  readonly store: QueueStore
  readonly onEvent?: (event: QueueEvent) => void
  /**
   * Milliseconds after which a job whose worker fell silent is given to another one. It may then run twice: handlers
   * have to bear that anyway.
   */
  readonly stalledAfterMs?: number
}

export interface Handling {
  /** 1 on the first run. */
  readonly attempt: number
  /** Aborts when the worker is told to stop. */
  readonly signal: AbortSignal
}

export interface WorkOptions {
  readonly lane: Lane
  readonly concurrency: number
  /**
   * Does the work. It may run twice, in any order, and half-way. A thrown error makes the job run again after a
   * back-off; an `IndexerError` with `retry: 'never'` puts it aside as failed.
   */
  readonly handle: (job: Job, handling: Handling) => Promise<void>
}

/** One job that is not finished, as the store knows it. */
export interface Outstanding {
  readonly job: Job
  readonly state: 'waiting' | 'active' | 'delayed' | 'failed'
}

export interface JobWorker {
  /**
   * Takes no more jobs and aborts the signal of running ones. Those that do not end are given back shortly before `timeoutMs` is over;
   * resolves then, whatever the store does.
   */
  close(timeoutMs: number): Promise<void>
}

/**
 * Jobs in BullMQ, in PostgreSQL or Redis. Losing the store loses nothing: what is indexed is known only from the tables,
 * and whoever plans asks for missing work again.
 */
export class JobQueue {
  private readonly queues: Record<Lane, Queue>

  private constructor(
    readonly kind: Backend['kind'],
    private readonly backend: Backend,
    private readonly options: JobQueueOptions,
  ) {
    this.queues = { head: this.openQueue('head'), backfill: this.openQueue('backfill') }
  }

  /** Connects; creates or migrates the store's tables where there are any. Throws when the store cannot be reached. */
  static async open(options: JobQueueOptions): Promise<JobQueue> {
    const backend = openBackend(options.store)
    const queue = new JobQueue(backend.kind, backend, options)
    try {
      for (const lane of LANES) await withDeadline(queue.queues[lane].waitUntilReady(), 15_000, 'queue store')
    } catch (error) {
      await queue.close().catch(() => {})
      throw error
    }
    return queue
  }

  private openQueue(lane: Lane): Queue {
    const queue = this.backend.queue(lane)
    queue.on('error', (error) => this.options.onEvent?.({ type: 'store_error', error }))
    return queue
  }

  /** Queues jobs that are not queued already. Throws on a payload that is not a job. */
  async add(jobs: readonly Job[]): Promise<void> {
    for (const lane of LANES) {
      const entries = jobs.map((job) => Job.parse(job)).filter((job) => ROUTES[job.name].lane === lane)
      if (entries.length === 0) continue
      await this.queues[lane].addBulk(
        entries.map((job) => ({
          name: job.name,
          data: job,
          opts: {
            jobId: jobId(job),
            priority: ROUTES[job.name].priority,
            // Only success or `retry: 'never'` ends a job: giving up would be a gap, and the planner would ask again.
            attempts: 1_000_000,
            backoff: { type: 'capped' },
            // Nothing finished is remembered: a remembered id would drop the same work when it is needed again.
            removeOnComplete: true,
            removeOnFail: { count: 100 },
            stackTraceLimit: 1,
          },
        })),
      )
    }
  }

  /** Jobs that are not done, failed ones included. Stored entries that are no jobs are left out. */
  async outstanding(lane: Lane): Promise<Outstanding[]> {
    const result: Outstanding[] = []
    for (const [types, state] of [
      [['wait', 'prioritized'], 'waiting'],
      [['active'], 'active'],
      [['delayed'], 'delayed'],
      [['failed'], 'failed'],
    ] as const) {
      for (const stored of await this.queues[lane].getJobs([...types])) {
        const job = Job.safeParse(stored?.data)
        if (job.success) result.push({ job: job.data, state })
      }
    }
    return result
  }

  /** Removes failed jobs that ended before `olderThanMs` ago, so that they can be asked for again. Returns how many. */
  async forgetFailed(olderThanMs: number): Promise<number> {
    let removed = 0
    for (const lane of LANES) removed += (await this.queues[lane].clean(olderThanMs, 1000, 'failed')).length
    return removed
  }

  /** Removes everything. Running jobs go on; their end is not recorded. */
  async clear(): Promise<void> {
    for (const lane of LANES) await this.queues[lane].obliterate({ force: true })
  }

  work(options: WorkOptions): JobWorker {
    const stopping = new AbortController()
    const abandoning = new AbortController()
    const run = (stored: StoredJob) =>
      orAbandoned(runStored(stored, options, stopping.signal), abandoning.signal)
    const stalledAfterMs = this.options.stalledAfterMs ?? 10_000
    const worker = this.backend.worker(options.lane, run, {
      concurrency: options.concurrency,
      lockDuration: stalledAfterMs,
      lockRenewTime: Math.floor(stalledAfterMs / 4),
      stalledInterval: Math.floor(stalledAfterMs / 2),
      // A job that killed its process is tried again like any other failure.
      maxStalledCount: 1_000_000,
      // Seconds an idle worker waits before it looks by itself: bounds the harm of a lost notification.
      drainDelay: 2,
      runRetryDelay: 500,
      settings: { backoffStrategy: (attempts) => retryDelayMs(options.lane, attempts) },
    })
    this.report(worker)
    return {
      close: async (timeoutMs) => {
        stopping.abort(new Error('the worker is stopping'))
        const abandon = setTimeout(
          () => abandoning.abort(new Error('abandoned by a stopping worker')),
          timeoutMs * 0.8,
        )
        await withDeadline(worker.close(), timeoutMs, 'worker close').catch((error: Error) => {
          this.options.onEvent?.({ type: 'store_error', error })
        })
        clearTimeout(abandon)
      },
    }
  }

  private report(worker: Worker): void {
    const emit = this.options.onEvent
    worker.on('error', (error) => emit?.({ type: 'store_error', error }))
    worker.on('stalled', (id) => emit?.({ type: 'stalled', id }))
    worker.on('failed', (stored, error) => {
      const job = Job.safeParse(stored?.data)
      emit?.({ type: 'failed', job: job.data, error, willRetry: !(error instanceof UnrecoverableError) })
    })
  }

  async close(): Promise<void> {
    await Promise.allSettled(LANES.map((lane) => this.queues[lane].close()))
  }
}

/** Parse, call, map the error. */
async function runStored(stored: StoredJob, options: WorkOptions, signal: AbortSignal): Promise<void> {
  const job = Job.safeParse(stored.data)
  if (!job.success) throw new UnrecoverableError(`job ${stored.id} is not valid: ${job.error.message}`)
  try {
    await options.handle(job.data, { attempt: stored.attemptsMade + 1, signal })
  } catch (error) {
    if (error instanceof IndexerError && error.retry === 'never') throw new UnrecoverableError(error.message)
    throw error
  }
}

/** The job's own end, or a failure when it is abandoned first: the job is given back and runs again elsewhere. */
function orAbandoned(work: Promise<void>, abandoned: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(abandoned.reason as Error)
    abandoned.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => abandoned.removeEventListener('abort', giveUp))
  })
}

async function withDeadline<T>(promise: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  return Promise.race([promise, deadline]).finally(() => clearTimeout(timer))
}
