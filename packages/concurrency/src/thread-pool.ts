import type { ResourceLimits, TransferListItem, Worker } from 'node:worker_threads'
import { IndexerError } from '@shardwalk/model'
import { BACKGROUND_NICENESS, startThread } from './start-thread.ts'

/** A worker thread ended in the middle of a task, e.g. out of memory. */
export class ThreadDied extends IndexerError {
  readonly code = 'thread_died'
  readonly retry = 'later'
}

/** What a worker thread receives and what it must send back, once per task. */
export interface ThreadRequest {
  readonly task: number
  readonly payload: unknown
}
/** What a thread posts for each task. */
export type ThreadReply =
  | { readonly task: number; readonly result: unknown }
  | { readonly task: number; readonly error: Error }

interface Task {
  readonly payload: unknown
  readonly transfer: readonly TransferListItem[]
  readonly urgent: boolean
  resolve(result: unknown): void
  reject(error: Error): void
}

/** How a task is passed on; urgent ones come before all others. */
export interface TaskOptions {
  readonly urgent?: boolean
  /** What of the payload is moved to the thread instead of copied. */
  readonly transfer?: readonly TransferListItem[]
}

interface Thread {
  readonly worker: Worker
  /** 1 once the thread has loaded its code. */
  readonly loaded: Int32Array
  /** Whether it has finished a task, which shows that the thread can start. */
  answered: boolean
  current:
    | { readonly id: number; readonly task: Task; readonly deadline: NodeJS.Timeout | undefined }
    | undefined
}

const isLoaded = ({ loaded }: Thread): boolean => Atomics.load(loaded, 0) === 1

/** Limits of the threads. */
export interface ThreadPoolOptions {
  /**
   * A thread that works longer on a task is ended, and the task fails with `ThreadDied`. Counts from when the
   * thread has loaded its code. Default: none.
   */
  readonly deadlineMs?: number
  /** Heap of a thread in MiB, beyond which it ends and its task fails. Default: that of the process. */
  readonly maxHeapMib?: number
  /** Young generation of a thread in MiB, which Node fills and keeps. Default: a twelfth of `maxHeapMib`. */
  readonly youngMib?: number
  /** Lets the other threads of the process go first. Linux only; default: false. */
  readonly isBackground?: boolean
}

/**
 * Runs tasks in worker threads, one task per thread at a time, urgent ones first. A thread that dies is
 * replaced.
 */
export class ThreadPool<Request, Result> {
  private readonly threads: Thread[] = []
  private readonly waiting: Task[] = []
  private nextId = 1
  private closed = false

  /** `script`: the thread's entry file, which answers every `ThreadRequest` with a `ThreadReply`. */
  constructor(
    private readonly script: URL,
    size: number,
    private readonly options: ThreadPoolOptions = {},
  ) {
    for (let i = 0; i < size; i++) this.spawn()
  }

  run(payload: Request, options: TaskOptions = {}): Promise<Result> {
    if (this.closed) return Promise.reject(new ThreadDied('the thread pool is closed'))
    return new Promise<Result>((resolve, reject) => {
      const urgent = options.urgent === true
      const { transfer = [] } = options
      const task: Task = { payload, transfer, urgent, resolve: resolve as (result: unknown) => void, reject }
      const firstOrdinary = urgent ? this.waiting.findIndex((other) => !other.urgent) : -1
      if (firstOrdinary < 0) this.waiting.push(task)
      else this.waiting.splice(firstOrdinary, 0, task)
      this.dispatch()
    })
  }

  private spawn(): void {
    const loaded = new Int32Array(new SharedArrayBuffer(4))
    const worker = startThread(
      this.script,
      { loaded, niceness: this.options.isBackground ? BACKGROUND_NICENESS : 0 },
      this.limits(),
    )
    const thread: Thread = { worker, loaded, current: undefined, answered: false }
    this.threads.push(thread)
    worker.on('message', (reply: ThreadReply) => this.finish(thread, reply))
    worker.on('error', (error) => this.lose(thread, error))
    worker.on('exit', (code) => this.lose(thread, new Error(`exit code ${code}`)))
  }

  private limits(): ResourceLimits {
    const { maxHeapMib, youngMib = maxHeapMib && Math.ceil(maxHeapMib / 12) } = this.options
    return {
      ...(maxHeapMib !== undefined && { maxOldGenerationSizeMb: maxHeapMib }),
      ...(youngMib !== undefined && { maxYoungGenerationSizeMb: youngMib }),
    }
  }

  private dispatch(): void {
    for (const thread of this.threads) {
      if (thread.current) continue
      const task = this.waiting.shift()
      if (!task) return
      thread.current = { id: this.nextId++, task, deadline: this.deadlineOf(thread) }
      const request: ThreadRequest = { task: thread.current.id, payload: task.payload }
      thread.worker.postMessage(request, task.transfer)
    }
  }

  private deadlineOf(thread: Thread): NodeJS.Timeout | undefined {
    const { deadlineMs } = this.options
    if (deadlineMs === undefined) return undefined
    const wasLoaded = isLoaded(thread)
    return setTimeout(() => {
      const { current } = thread
      // On a busy machine a thread may take this long to load its code.
      if (!wasLoaded && current) {
        thread.current = { ...current, deadline: this.deadlineOf(thread) }
        return
      }
      this.lose(thread, new Error(`no result within ${deadlineMs} ms`))
      void thread.worker.terminate()
    }, deadlineMs)
  }

  private finish(thread: Thread, reply: ThreadReply): void {
    const current = thread.current
    if (current?.id !== reply.task) return
    clearTimeout(current.deadline)
    thread.current = undefined
    thread.answered = true
    if ('error' in reply) current.task.reject(reply.error)
    else current.task.resolve(reply.result)
    this.dispatch()
  }

  private lose(thread: Thread, cause: Error): void {
    const index = this.threads.indexOf(thread)
    if (index < 0) return
    this.threads.splice(index, 1)
    clearTimeout(thread.current?.deadline)
    thread.current?.task.reject(new ThreadDied(`a worker thread ended: ${cause.message}`, { cause }))
    // A thread that never answered may be unable to start, so it is not restarted in a busy loop.
    setTimeout(() => this.replace(), thread.answered ? 0 : 1_000)
  }

  private replace(): void {
    if (this.closed) return
    this.spawn()
    this.dispatch()
  }

  /** Ends all threads; unfinished tasks are rejected. */
  async close(): Promise<void> {
    this.closed = true
    for (const task of this.waiting.splice(0)) task.reject(new ThreadDied('the thread pool is closed'))
    await Promise.all(this.threads.map((thread) => thread.worker.terminate()))
  }
}
