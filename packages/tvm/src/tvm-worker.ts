import type { Worker } from 'node:worker_threads'
import { BACKGROUND_NICENESS, startThread } from '@shardwalk/concurrency'
import { type EmulateMessage, MAX_ENVIRONMENTS, type RunMessage, type WorkerReply } from './protocol.ts'
import type { TvmEnvironment, TvmFailure } from './types.ts'

/** Outcome of a call before its stack is decoded. */
export type RunOutcome =
  | Extract<WorkerReply, { type: 'done' | 'emulated' }>
  | { readonly type: 'failed'; readonly reason: TvmFailure['reason']; readonly message: string }

/** How a thread of the pool runs. */
export interface TvmWorkerOptions {
  readonly countsSteps: boolean
  readonly isBackground: boolean
  /** Time without a call after which it is reported as idle; undefined: never. */
  readonly idleMs?: number | undefined
}

/** What happens to a thread without being asked for. */
export interface TvmWorkerEvents {
  onExit(worker: TvmWorker): void
  onIdle(worker: TvmWorker): void
}

interface Current {
  readonly resolve: (outcome: RunOutcome) => void
  readonly timer: NodeJS.Timeout
}

/**
 * JavaScript heap limit of a thread, which ends beyond it. The executor's own memory is limited by the pool.
 */
const MAX_HEAP_MB = 256
/** Node's default is 48, which every thread fills and keeps. */
const MAX_YOUNG_MB = 16

/**
 * The executor as the first thread compiled it, for all that start later: V8 makes the code of what runs
 * often faster for all of them. A thread with code of its own takes a second of processor time more over its
 * first runs.
 */
let compiled: WebAssembly.Module | undefined

/** One thread with one executor; runs one call at a time. It is not restarted: the pool creates another. */
export class TvmWorker {
  private readonly thread: Worker
  private readonly known = new Set<number>()
  private current: Current | undefined
  private idle: NodeJS.Timeout | undefined
  private hasExited = false
  /** Whether it had to compile the executor. */
  hasCompiled = false
  heapBytes = 0

  /** Resolves when the executor is ready; rejects if the thread ends before. */
  readonly ready: Promise<void>

  constructor(
    private readonly events: TvmWorkerEvents,
    private readonly options: TvmWorkerOptions,
  ) {
    const { countsSteps, isBackground } = options
    this.thread = startThread(
      new URL('./worker.mjs', import.meta.url),
      {
        maxEnvironments: MAX_ENVIRONMENTS,
        countsSteps,
        compiled,
        niceness: isBackground ? BACKGROUND_NICENESS : 0,
      },
      { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    )
    this.ready = new Promise((resolve, reject) => {
      this.thread.on('message', (reply: WorkerReply) => {
        if (reply.type !== 'ready') return this.onReply(reply)
        if (reply.compiled) {
          this.hasCompiled = true
          compiled ??= reply.compiled
        }
        // Not before: to listen for messages would undo it. While a call runs, its timer is waited for.
        this.thread.unref()
        this.rest()
        resolve()
      })
      this.thread.once('error', (error) => this.die(`thread failed: ${String(error)}`, reject))
      this.thread.once('exit', (code) => this.die(`thread ended with code ${code}`, reject))
    })
    // The pool is notified of threads that never became ready through onExit.
    this.ready.catch(() => {})
  }

  get isDead(): boolean {
    return this.hasExited
  }

  /** Never rejects. */
  run(
    message: RunMessage | EmulateMessage,
    environment: TvmEnvironment,
    timeoutMs: number,
  ): Promise<RunOutcome> {
    clearTimeout(this.idle)
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.kill('timeout', `no answer within ${timeoutMs} ms`), timeoutMs)
      this.current = { resolve, timer }
      this.sendEnvironment(environment)
      this.thread.postMessage(message)
    })
  }

  /** Sends an environment unless the thread still has it: both sides drop the oldest by the same rule. */
  private sendEnvironment(environment: TvmEnvironment): void {
    if (this.known.has(environment.id)) return
    this.thread.postMessage({ type: 'environment', ...environment })
    this.known.add(environment.id)
    const oldest = this.known.values().next().value
    if (this.known.size > MAX_ENVIRONMENTS && oldest !== undefined) this.known.delete(oldest)
  }

  async close(): Promise<void> {
    this.hasExited = true
    clearTimeout(this.idle)
    await this.thread.terminate()
    this.finish({ type: 'failed', reason: 'crashed', message: 'the pool was closed' })
  }

  private onReply(reply: Exclude<WorkerReply, { type: 'ready' }>): void {
    if (reply.type === 'broken') {
      this.kill('crashed', reply.error)
      return
    }
    this.heapBytes = reply.heapBytes
    if (reply.type !== 'refused') this.finish(reply)
    else this.finish({ type: 'failed', reason: refusalOf(reply.error), message: reply.error })
  }

  private kill(reason: 'timeout' | 'crashed', message: string): void {
    void this.thread.terminate()
    this.die(message, undefined, reason)
  }

  private die(
    message: string,
    reject?: (error: Error) => void,
    reason: 'timeout' | 'crashed' = 'crashed',
  ): void {
    if (this.hasExited) return
    this.hasExited = true
    clearTimeout(this.idle)
    reject?.(new Error(message))
    this.events.onExit(this)
    this.finish({ type: 'failed', reason, message })
  }

  private finish(outcome: RunOutcome): void {
    const current = this.current
    this.current = undefined
    if (!current) return
    clearTimeout(current.timer)
    this.rest()
    current.resolve(outcome)
  }

  private rest(): void {
    const { idleMs } = this.options
    if (idleMs === undefined || this.hasExited) return
    this.idle = setTimeout(() => this.events.onIdle(this), idleMs).unref()
  }
}

/**
 * Source: node, emulator/emulator-extern.cpp, `tvm_emulator_run_get_method`; the stack is deeper than a cell.
 */
const refusalOf = (error: string): 'too_big' | 'refused' =>
  error === "Couldn't serialize stack" ? 'too_big' : 'refused'
