import { TvmWorker, type TvmWorkerEvents, type TvmWorkerOptions } from './tvm-worker.ts'

/** How many threads there may be, how they run, and what happens to them. */
export interface TvmThreadsOptions {
  readonly threads: number
  readonly maxHeapBytes: number
  readonly worker: TvmWorkerOptions
  /** A thread has become free, or has ended. */
  readonly onChange: () => void
  /** Threads exit before they are ready. */
  readonly onBroken: (error: Error) => void
}

/**
 * Number of consecutive threads that exit before being ready after which the installation counts as broken.
 */
const MAX_FALSE_STARTS = 3

/** The threads of a pool. They do not keep the process alive. */
export class TvmThreads {
  private readonly workers = new Set<TvmWorker>()
  private readonly idle: TvmWorker[] = []
  private falseStarts = 0
  /** Since the beginning; `compilations`: threads that had to compile the executor. */
  readonly counters = { threadsStarted: 0, compilations: 0 }
  private readonly events: TvmWorkerEvents = {
    onExit: (worker) => {
      this.workers.delete(worker)
      this.options.onChange()
    },
    onIdle: (worker) => void this.retire(worker),
  }

  constructor(private readonly options: TvmThreadsOptions) {}

  /** Threads that run or are starting. */
  get size(): number {
    return this.workers.size
  }

  /** A thread that is free; undefined if there is none. */
  take(): TvmWorker | undefined {
    let worker = this.idle.pop()
    while (worker?.isDead) worker = this.idle.pop()
    return worker
  }

  /** A thread that was taken and not used. */
  putBack(worker: TvmWorker): void {
    this.idle.push(worker)
  }

  /** A thread that was used: it ends if its memory has grown too large. */
  async release(worker: TvmWorker): Promise<void> {
    if (!worker.isDead && worker.heapBytes > this.options.maxHeapBytes) await this.retire(worker)
    if (!worker.isDead) this.idle.push(worker)
    this.options.onChange()
  }

  /** Starts threads for calls that wait: one for each, up to the limit. */
  startFor(waiting: number): void {
    if (waiting === 0) return
    while (this.workers.size < this.options.threads) {
      this.start()
      if (waiting <= this.workers.size) return
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.close()))
    this.workers.clear()
  }

  private start(): void {
    this.counters.threadsStarted++
    const worker = new TvmWorker(this.events, this.options.worker)
    this.workers.add(worker)
    worker.ready.then(
      () => this.started(worker),
      (error: Error) => this.startFailed(error),
    )
  }

  private started(worker: TvmWorker): void {
    this.falseStarts = 0
    if (worker.hasCompiled) this.counters.compilations++
    this.idle.push(worker)
    this.options.onChange()
  }

  private startFailed(error: Error): void {
    if (++this.falseStarts < MAX_FALSE_STARTS) return
    this.falseStarts = 0
    this.options.onBroken(error)
  }

  private async retire(worker: TvmWorker): Promise<void> {
    this.workers.delete(worker)
    await worker.close()
  }
}
