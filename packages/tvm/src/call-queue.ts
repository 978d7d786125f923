import { FairQueue, type FairQueueOptions } from '@shardwalk/concurrency'
import type { FaultyCodes } from './faulty-codes.ts'
import type { EmulateMessage, RunMessage } from './protocol.ts'
import type { RunOutcome } from './tvm-worker.ts'
import type { Caller, TvmEnvironment } from './types.ts'

/** A call as a thread gets it, and who makes it. */
export interface Work {
  readonly message: RunMessage | EmulateMessage
  readonly environment: TvmEnvironment
  readonly caller: Caller
  /** Key under which strikes are counted; undefined: they are not counted. */
  readonly codeKey?: string | undefined
}

/** A call and its answer. */
export interface WaitingCall extends Work {
  readonly resolve: (outcome: RunOutcome) => void
  readonly reject: (error: Error) => void
}

/** How many calls may wait, and how many run for one client. */
export interface CallQueueOptions extends FairQueueOptions {
  /** Default: no limit. */
  readonly maxRunningPerClient?: number | undefined
}

const SUSPENDED: RunOutcome = {
  type: 'failed',
  reason: 'suspended',
  message: 'runs of this code were killed or crashed several times; it is tried again within a minute',
}

/**
 * Calls that wait for a thread. Clients take turns; a caller that leaves frees its place; calls of a faulty
 * code are answered without a run.
 */
export class CallQueue {
  private readonly queue: FairQueue<WaitingCall>
  /** Threads that each client occupies. */
  private readonly running = new Map<string, number>()

  constructor(
    private readonly faultyCodes: FaultyCodes,
    private readonly options: CallQueueOptions,
  ) {
    this.queue = new FairQueue(options)
  }

  get length(): number {
    return this.queue.length
  }

  /** Resolves when the call has run. Rejects with `QueueFull` or the reason of the caller's signal. */
  add(work: Work): Promise<RunOutcome> {
    const { signal, client } = work.caller
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      if (this.isSuspended(work)) return resolve(SUSPENDED)
      const settled = () => signal?.removeEventListener('abort', leave)
      const waiting: WaitingCall = {
        ...work,
        resolve(outcome) {
          settled()
          resolve(outcome)
        },
        reject(error) {
          settled()
          reject(error)
        },
      }
      // A run in progress continues, at most to its time limit; its result is dropped.
      const leave = () => {
        this.queue.remove(waiting)
        waiting.reject(signal?.reason)
      }
      this.queue.push(waiting, { client, lane: work.codeKey })
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** The call whose turn it is; those whose code got its last strike while they waited are answered. */
  take(): WaitingCall | undefined {
    const { maxRunningPerClient = Number.POSITIVE_INFINITY } = this.options
    const mayRun = (client: string) => (this.running.get(client) ?? 0) < maxRunningPerClient
    let waiting = this.queue.take(mayRun)
    while (waiting && this.isSuspended(waiting)) {
      waiting.resolve(SUSPENDED)
      waiting = this.queue.take(mayRun)
    }
    return waiting
  }

  /** A call that was taken has a thread. */
  began({ caller }: WaitingCall): void {
    this.countRunning(caller, 1)
  }

  /** It has run: answers it. */
  ended({ caller, codeKey, resolve }: WaitingCall, outcome: RunOutcome): void {
    this.countRunning(caller, -1)
    // A refusal by the executor does not count against the code.
    const isFault =
      outcome.type === 'failed' && (outcome.reason === 'timeout' || outcome.reason === 'crashed')
    if (codeKey !== undefined && (isFault || outcome.type !== 'failed'))
      this.faultyCodes.note(codeKey, !isFault)
    resolve(outcome)
  }

  rejectAll(error: Error): void {
    for (const waiting of this.queue.drain()) waiting.reject(error)
  }

  private isSuspended({ codeKey }: Work): boolean {
    return codeKey !== undefined && this.faultyCodes.isRefused(codeKey)
  }

  private countRunning({ client = '' }: Caller, change: 1 | -1): void {
    const count = (this.running.get(client) ?? 0) + change
    if (count === 0) this.running.delete(client)
    else this.running.set(client, count)
  }
}
