import { FairQueue, QueueFull, ThreadDied, ThreadPool } from '@shardwalk/concurrency'
import { IndexerError } from '@shardwalk/model'
import { fromOutcome, type Outcome } from './outcome.ts'
import type { ThreadTask } from './task-thread.ts'
import { type Input, type Output, QUICKLY, TASKS, type TaskName } from './tasks.ts'

/** The work was not done for want of a free thread or of time, and may be asked for again. */
export class ThreadsBusy extends IndexerError {
  readonly code = 'request_threads_busy'
  readonly retry = 'later'
}

/** The client that the work is done for. */
export interface WorkOwner {
  /** Clients take turns. */
  readonly client: string
  /**
   * Aborted when the client disconnects: waiting work is cancelled, the result of running work is dropped.
   * Made when it is first asked for.
   */
  readonly signal: () => AbortSignal
}

/** Performs long work for large requests. */
export interface RequestWork {
  /** Rejects with the task's error, or with `ThreadsBusy`. */
  run<N extends TaskName>(name: N, input: Input<N>, owner: WorkOwner): Promise<Output<N>>
}

/** Runs work for one request. */
export type Work = <N extends TaskName>(name: N, input: Input<N>) => Promise<Output<N>>

/** Performs all work in this thread, where bodies are known to be small. */
export const INLINE_WORK: RequestWork = {
  run: async (name, input) => (TASKS[name] as (input: unknown) => never)(input),
}

export interface RequestThreadsOptions {
  readonly threads: number
  /**
   * Number of tasks that wait for a thread, each with a body of up to 4 MB; a client may have a quarter of
   * them.
   */
  readonly maxWaiting: number
  /** Time without work after which the threads end. Default 10 s. */
  readonly idleMs?: number
}

/** A task takes a second at most, more on a busy machine. */
const DEADLINE_MS = 8_000
/** A body of 4 MB takes about 50. */
const MAX_HEAP_MIB = 192
const IDLE_MS = 10_000

interface Waiting {
  readonly task: ThreadTask
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Performs small tasks in this thread and the others in worker threads, which start with the first such task.
 */
export class RequestThreads implements RequestWork {
  private readonly queue: FairQueue<Waiting>
  private pool: ThreadPool<ThreadTask, Outcome> | undefined
  private running = 0
  private idle: NodeJS.Timeout | undefined

  constructor(private readonly options: RequestThreadsOptions) {
    const { maxWaiting } = options
    this.queue = new FairQueue({ maxWaiting, maxWaitingPerClient: Math.ceil(maxWaiting / 4) })
  }

  async run<N extends TaskName>(name: N, input: Input<N>, owner: WorkOwner): Promise<Output<N>> {
    const done = QUICKLY[name](input)
    if (done) return done.value
    return fromOutcome(await this.enqueue({ name, input }, owner)) as Output<N>
  }

  /** Number of tasks that wait for a thread. */
  get waiting(): number {
    return this.queue.length
  }

  /** Whether there are threads: none before the first large request, and none after a while without. */
  get isStarted(): boolean {
    return this.pool !== undefined
  }

  async close(): Promise<void> {
    clearTimeout(this.idle)
    for (const { reject } of this.queue.drain()) reject(new ThreadsBusy('the server is shutting down'))
    await this.pool?.close()
  }

  private enqueue(task: ThreadTask, { client, signal }: WorkOwner): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { task, resolve, reject }
      this.push(waiting, client)
      signal().addEventListener(
        'abort',
        () => {
          this.queue.remove(waiting)
          reject(new ThreadsBusy('no thread was free in time'))
        },
        { once: true },
      )
      this.dispatch()
    })
  }

  private push(waiting: Waiting, client: string): void {
    try {
      this.queue.push(waiting, { client })
    } catch (error) {
      throw error instanceof QueueFull ? new ThreadsBusy(error.message) : error
    }
  }

  private dispatch(): void {
    while (this.running < this.options.threads) {
      const waiting = this.queue.take()
      if (!waiting) return
      void this.serve(waiting)
    }
  }

  private async serve({ task, resolve, reject }: Waiting): Promise<void> {
    this.running++
    clearTimeout(this.idle)
    this.pool ??= new ThreadPool(new URL('./task-thread.ts', import.meta.url), this.options.threads, {
      deadlineMs: DEADLINE_MS,
      maxHeapMib: MAX_HEAP_MIB,
      isBackground: true,
    })
    try {
      resolve(await this.pool.run(task))
    } catch (error) {
      reject(error instanceof ThreadDied ? new ThreadsBusy('the request could not be read in time') : error)
    }
    this.running--
    this.dispatch()
    if (this.running === 0) this.idle = setTimeout(() => this.endThreads(), this.idleMs).unref()
  }

  private get idleMs(): number {
    return this.options.idleMs ?? IDLE_MS
  }

  /** A heap that was used once is not given back as long as its thread lives. */
  private endThreads(): void {
    void this.pool?.close()
    this.pool = undefined
  }
}
