import { setMaxListeners } from 'node:events'
import { untilAborted, withDeadline } from '@shardwalk/concurrency'
import { IndexerError, type McBlockSeqno } from '@shardwalk/model'
import type { Queue, Job as StoredJob, Worker } from 'bullmq'
import { type Backend, openBackend, QUEUE_SCHEMA, type QueueStore } from './backends.ts'
import { QueueStoreRefused } from './errors.ts'
import { Job, jobId, LANES, type Lane, ROUTES, retryDelayMs } from './jobs.ts'
import { pauseAfterErrors } from './pause-after-errors.ts'
import { StartedWorker } from './started-worker.ts'

/** An event for logs and metrics; the queue itself does not log. */
export type QueueEvent =
  | {
      readonly type: 'failed'
      readonly job: Job | undefined
      readonly error: Error
      readonly willRetry: boolean
      /** Whether it was given back because its worker is stopping. */
      readonly isStopping: boolean
    }
  | { readonly type: 'stalled'; readonly id: string }
  /** A job of this process was given to another worker, which runs it beside this one. */
  | { readonly type: 'overtaken'; readonly error: Error }
  | { readonly type: 'store_error'; readonly error: Error }

/** Where jobs are kept, and when they count as lost. */
export interface JobQueueOptions {
  readonly store: QueueStore
  /** Root hash of the network's zerostate: each network has queues of its own. */
  readonly network: Buffer
  readonly onEvent?: (event: QueueEvent) => void
  /**
   * Milliseconds after which a job whose worker stopped responding is given to another. The job may then run
   * twice, which handlers must tolerate anyway. Default: see `STALLED_AFTER_MS`.
   */
  readonly stalledAfterMs?: number
}

/** One run of a job. */
export interface Handling {
  /** 1 for the first run. */
  readonly attempt: number
  /** Aborted when the worker is asked to stop. */
  readonly signal: AbortSignal
}

/** How many jobs of a lane run at a time, and what they do. */
export interface WorkOptions {
  readonly lane: Lane
  readonly concurrency: number
  /**
   * Does the work. It may run twice, out of order, or be interrupted. After an error it runs again with a
   * delay; an `IndexerError` with `retry: 'never'` makes the job fail permanently.
   */
  readonly handle: (job: Job, handling: Handling) => Promise<void>
}

/** A job that is not finished. */
export interface Outstanding {
  readonly job: Job
  readonly state: 'waiting' | 'active' | 'delayed' | 'failed'
}

/** A running worker of a lane. */
export interface JobWorker {
  /**
   * Stops taking jobs and aborts the signal of running ones. Jobs still running shortly before `timeoutMs`
   * are returned to the queue; resolves then in any case.
   */
  close(timeoutMs: number): Promise<void>
}

const OPEN_MS = 15_000

/** invalid_schema_name: the user may not use the one that there is. insufficient_privilege. */
const REFUSALS = ['3F000', '42501']

/** The tables are those of another user in a restored database, or one that had no roles before. */
function refusalOfDatabase(error: unknown): QueueStoreRefused | undefined {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string }
  if (!REFUSALS.includes(String(code))) return undefined
  return new QueueStoreRefused(
    `the user of DATABASE_URL cannot keep jobs in the schema ${QUEUE_SCHEMA} (${message}): if it belongs ` +
      `to another user, run "drop schema ${QUEUE_SCHEMA} cascade" while nothing runs; it is made anew`,
    { cause: error },
  )
}

/**
 * How long the job of a process that was killed waits for another, and up to half as much again. Nothing else
 * delays the head so long. Its jobs are over in less than that, so that their locks are hardly ever renewed.
 */
const STALLED_AFTER_MS: Readonly<Record<Lane, number>> = { head: 3_000, backfill: 10_000 }

/**
 * Jobs in BullMQ, stored in PostgreSQL or Redis. The store may be lost: only the tables record what is
 * indexed, and the planner queues missing work again.
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

  /**
   * Connects, and creates or migrates the tables of a PostgreSQL store. Throws if the store cannot be
   * reached, `QueueStoreRefused` if jobs cannot be kept there; if it is Redis, also `QueueStoreUnreachable`.
   */
  static async open(options: JobQueueOptions): Promise<JobQueue> {
    const onWaiting = (error: Error) => options.onEvent?.({ type: 'store_error', error })
    const backend = await openBackend(options.store, options.network, { waitMs: OPEN_MS, onWaiting })
    const queue = new JobQueue(backend.kind, backend, options)
    try {
      for (const lane of LANES)
        await withDeadline(queue.queues[lane].waitUntilReady(), OPEN_MS, noAnswer('queue store', OPEN_MS))
    } catch (error) {
      await queue.close().catch(() => {})
      throw refusalOfDatabase(error) ?? error
    }
    return queue
  }

  private openQueue(lane: Lane): Queue {
    const queue = this.backend.queue(lane)
    queue.on('error', (error) => this.options.onEvent?.({ type: 'store_error', error }))
    return queue
  }

  /** Queues the jobs that are not queued yet. Throws on a payload that is not a job. */
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
            // A job ends only by success or `retry: 'never'`: giving up would leave a gap.
            attempts: 1_000_000,
            backoff: { type: 'capped' },
            // Do not remember finished jobs: their ids would suppress the same work when it is needed again.
            removeOnComplete: true,
            removeOnFail: { count: 100 },
            stackTraceLimit: 1,
          },
        })),
      )
    }
  }

  /** Jobs that are not done, including failed ones. Stored entries that are not jobs are omitted. */
  async outstanding(lane: Lane): Promise<Outstanding[]> {
    const result: Outstanding[] = []
    for (const [types, state] of [
      [['wait', 'prioritized'], 'waiting'],
      [['active'], 'active'],
      [['delayed'], 'delayed'],
      [['failed'], 'failed'],
    ] as const) {
      for (const stored of await this.queues[lane].getJobs([...types])) {
        if (stored) await rerunAfterSetBack(stored, state)
        const job = Job.safeParse(stored?.data)
        if (job.success) result.push({ job: job.data, state })
      }
    }
    return result
  }

  /**
   * Removes jobs that failed more than `olderThanMs` ago, so that they can be queued again. Returns their
   * number.
   */
  async removeFailed(olderThanMs: number): Promise<number> {
    let removed = 0
    for (const lane of LANES) removed += (await this.queues[lane].clean(olderThanMs, 1000, 'failed')).length
    return removed
  }

  /** Removes jobs of blocks after this one only, except those that are running. */
  async removeAfter(seqno: McBlockSeqno): Promise<void> {
    for (const lane of LANES)
      for (const { job } of await this.outstanding(lane))
        if (job.from > seqno) await this.queues[lane].remove(jobId(job))
  }

  /** Removes all jobs. Running ones continue, but their completion is not recorded. */
  async clear(): Promise<void> {
    for (const lane of LANES) await this.queues[lane].obliterate({ force: true })
  }

  work(options: WorkOptions): JobWorker {
    const stopping = new AbortController()
    const abandoning = new AbortController()
    // Every job that runs adds a listener.
    setMaxListeners(0, stopping.signal, abandoning.signal)
    // What is abandoned returns to the queue and runs elsewhere.
    const run = (stored: StoredJob) =>
      untilAborted(this.runStored(stored, options, stopping.signal), abandoning.signal)
    const stalledAfterMs = this.options.stalledAfterMs ?? STALLED_AFTER_MS[options.lane]
    const tuning = {
      autorun: false,
      concurrency: options.concurrency,
      lockDuration: stalledAfterMs,
      lockRenewTime: Math.floor(stalledAfterMs / 4),
      stalledInterval: Math.floor(stalledAfterMs / 2),
      // A job that killed its process is retried like after any other failure.
      maxStalledCount: 1_000_000,
      // Seconds after which an idle worker polls: limits the delay caused by a lost notification.
      drainDelay: 2,
      runRetryDelay: 500,
      settings: { backoffStrategy: (attempts: number) => retryDelayMs(options.lane, attempts) },
    }
    const worker = new StartedWorker(() =>
      this.report(this.backend.worker(options.lane, run, tuning), stopping.signal),
    )
    return {
      close: async (timeoutMs) => {
        stopping.abort(new Error('the worker is stopping'))
        const abandon = setTimeout(
          () => abandoning.abort(new Error('abandoned by a stopping worker')),
          timeoutMs * 0.8,
        )
        await withDeadline(worker.close(), timeoutMs, noAnswer('worker close', timeoutMs)).catch(
          (error: Error) => {
            this.options.onEvent?.({ type: 'store_error', error })
          },
        )
        clearTimeout(abandon)
      },
    }
  }

  /** Validates the payload, calls the handler and maps its error. */
  private async runStored(stored: StoredJob, options: WorkOptions, signal: AbortSignal): Promise<void> {
    const job = Job.safeParse(stored.data)
    if (!job.success) throw this.backend.permanent(`job ${stored.id} is not valid: ${job.error.message}`)
    try {
      await options.handle(job.data, { attempt: stored.attemptsMade + 1, signal })
    } catch (error) {
      if (error instanceof IndexerError && error.retry === 'never')
        throw this.backend.permanent(error.message)
      throw error
    }
  }

  private report(worker: Worker, stopping: AbortSignal): Worker {
    const emit = this.options.onEvent
    pauseAfterErrors(worker)
    worker.on('error', (error) =>
      emit?.({ type: OVERTAKEN.test(error.message) ? 'overtaken' : 'store_error', error }),
    )
    worker.on('stalled', (id) => emit?.({ type: 'stalled', id }))
    worker.on('failed', (stored, error) => {
      const job = Job.safeParse(stored?.data)
      const willRetry = !this.backend.isPermanent(error)
      emit?.({ type: 'failed', job: job.data, error, willRetry, isStopping: stopping.aborted })
    })
    return worker
  }

  async close(): Promise<void> {
    await Promise.allSettled(LANES.map((lane) => this.queues[lane].close()))
  }
}

/** More than the clocks of machines differ, and than any job is postponed. Milliseconds. */
const FUTURE_MS = 60_000

/**
 * Times of jobs are those of the clock of the worker that took them. If that was ahead and has been set back,
 * a job that it postponed, or had when it was killed, would wait until the clock reaches that time again.
 */
async function rerunAfterSetBack(stored: StoredJob, state: Outstanding['state']): Promise<void> {
  if ((stored.processedOn ?? 0) < Date.now() + FUTURE_MS) return
  // The worker that has it, or has just put it back, notices at its next statement.
  if (state === 'active') await stored.moveToDelayed(Date.now(), ANY_WORKER).catch(() => {})
  if (state === 'delayed') await stored.promote().catch(() => {})
}

/** The library takes this token for that of the worker with the lock. */
const ANY_WORKER = '0'

/** What the library reports when a lock was not renewed in time, at the next renewal and at the job's end. */
const OVERTAKEN =
  /^(could not renew lock|(Missing (lock|key)|Lock mismatch) for job|Job \S+ is not in the active state)/

const noAnswer = (what: string, ms: number) => () => new Error(`${what}: no answer within ${ms} ms`)
