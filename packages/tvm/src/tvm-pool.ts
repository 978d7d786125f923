import { parseBoc } from '@shardwalk/cells'
import { FairQueue } from '@shardwalk/concurrency'
import { DecodeError } from '@shardwalk/model'
import { TvmClosed, TvmUnavailable } from './errors.ts'
import { FaultyCodes } from './faulty-codes.ts'
import type { EmulateMessage, RunMessage } from './protocol.ts'
import {
  cacheKey,
  type EnvironmentSource,
  toEmulateMessage,
  toEnvironment,
  toRunMessage,
} from './requests.ts'
import { ResultCache } from './result-cache.ts'
import { decodeResults } from './stack-bags.ts'
import { type RunOutcome, TvmWorker, type TvmWorkerEvents } from './tvm-worker.ts'
import type {
  CacheableCall,
  Caller,
  EmulateCall,
  EmulateResult,
  GetMethodCall,
  GetMethodResult,
  RawGetMethodResult,
  TvmEnvironment,
  TvmFailure,
  TvmPoolOptions,
} from './types.ts'

/** The executor stores balances in 64 bits and throws beyond. */
const MAX_BALANCE = 2n ** 64n - 1n
/**
 * Number of consecutive threads that exit before being ready after which the installation counts as broken.
 */
const MAX_FALSE_STARTS = 3

/** Of memory for cached results, and what one takes beside its bag, alone and for each of its cells. */
const CACHE_BYTES = 32 * 1024 * 1024
const BYTES_OF_RESULT = 500
const BYTES_OF_CELL = 400

const weightOf = (result: GetMethodResult): number =>
  BYTES_OF_RESULT + (result.ok ? result.stackBoc.length + BYTES_OF_CELL * parseBoc(result.stackBoc).count : 0)

interface Work {
  readonly message: RunMessage | EmulateMessage
  readonly environment: TvmEnvironment
  readonly caller: Caller
  /** Key under which strikes are counted; undefined: they are not counted. */
  readonly codeKey?: string | undefined
}

interface Waiting extends Work {
  readonly resolve: (outcome: RunOutcome) => void
  readonly reject: (error: Error) => void
}

/** Failures that another run may not have. */
const PASSING: ReadonlySet<TvmFailure['reason']> = new Set(['timeout', 'crashed', 'suspended'])

const SUSPENDED: RunOutcome = {
  type: 'failed',
  reason: 'suspended',
  message: 'runs of this code were killed or crashed several times; it is tried again within a minute',
}

/**
 * Runs get-methods of contracts on worker threads, each with its own executor. A contract that loops or
 * crashes the executor costs its thread, which is replaced; other calls continue. Threads start with the
 * first call and do not keep the process alive. Clients take turns; a caller that leaves frees its place.
 */
export class TvmPool {
  private readonly options
  private readonly workers = new Set<TvmWorker>()
  private readonly idle: TvmWorker[] = []
  private readonly queue: FairQueue<Waiting>
  /** Threads that each client occupies. */
  private readonly running = new Map<string, number>()
  private readonly cache: ResultCache<GetMethodResult>
  private readonly faultyCodes: FaultyCodes
  private falseStarts = 0
  private isClosed = false
  private readonly events: TvmWorkerEvents = {
    onExit: (worker) => {
      this.workers.delete(worker)
      this.dispatch()
    },
    onIdle: (worker) => void this.retire(worker),
  }
  /** Counts since the start, for metrics. */
  readonly counters = {
    ...{ calls: 0, cacheHits: 0, timeouts: 0, crashes: 0, threadsStarted: 0 },
    /** Threads that had to compile the executor. */
    compilations: 0,
  }

  constructor(options: TvmPoolOptions = {}) {
    this.options = {
      threads: 1,
      timeoutMs: 2_000,
      maxWaiting: 10_000,
      maxHeapBytes: 256 * 1024 * 1024,
      cacheSize: 20_000,
      isBackground: false,
      ...options,
    }
    this.queue = new FairQueue(this.options)
    this.cache = new ResultCache({ size: this.options.cacheSize, bytes: CACHE_BYTES, weigh: weightOf })
    this.faultyCodes = new FaultyCodes(options.now)
  }

  /** Calls that wait for a thread. */
  get waiting(): number {
    return this.queue.length
  }

  /**
   * Registers configuration and libraries for use by calls of any pool. Every call parses the configuration,
   * which takes about ten times as long as a typical run if it is complete: see `slimConfig`.
   */
  environment(source: EnvironmentSource): TvmEnvironment {
    return toEnvironment(source)
  }

  /**
   * Runs one method. Rejects only with `QueueFull`, `TvmClosed`, `TvmUnavailable` or the reason of the call's
   * signal; contract errors are results.
   */
  async run(call: GetMethodCall): Promise<GetMethodResult> {
    return decodeStack(await this.runRaw(call))
  }

  /** Like `run`, with the stack as a bag of cells: decoding a large one takes its time. */
  async runRaw(call: GetMethodCall): Promise<RawGetMethodResult> {
    this.counters.calls++
    const balance = call.balance ?? 0n
    if (balance < 0n || balance > MAX_BALANCE)
      return { ok: false, reason: 'refused', message: `balance ${balance}` }
    let message: RunMessage
    try {
      message = toRunMessage(call)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      return { ok: false, reason: 'bad_arguments', message: error.message }
    }
    const codeKey =
      call.codeHash && `${Buffer.from(call.codeHash).toString('latin1')}${call.callerClass ?? ''}`
    const result = this.toResult(
      await this.execute({ message, environment: call.environment, caller: call, codeKey }),
    )
    if (result.ok || !PASSING.has(result.reason) || codeKey === undefined) return result
    return { ...result, mayPass: !this.faultyCodes.isLasting(codeKey) }
  }

  /**
   * Like `run`, with answers cached by address, code hash, data hash, environment, method and arguments.
   * Failures to run are not cached, nor answers for which the contract read the time or its balance.
   */
  async runCached(call: CacheableCall): Promise<GetMethodResult> {
    const key = cacheKey(call)
    const known = this.cache.get(key)
    if (known) {
      this.counters.cacheHits++
      return known
    }
    const result = await this.run(call)
    if (result.ok && !result.missingLibrary && !result.readsMoment) this.cache.set(key, result)
    return result
  }

  /**
   * Emulates a message to an account: the transaction as the node would create it, or none if the contract
   * does not accept the message. Rejects like `run`.
   */
  async emulate(call: EmulateCall): Promise<EmulateResult> {
    this.counters.calls++
    const message = toEmulateMessage(call)
    const outcome = await this.execute({ message, environment: call.environment, caller: call })
    if (outcome.type === 'failed') return this.toFailure(outcome)
    if (outcome.type !== 'emulated')
      return { ok: false, reason: 'crashed', message: 'answer to another call' }
    const { transaction, shardAccount, actions, exitCode, missesPreviousBlocks } = outcome
    const { refusedRun = { steps: 0, logTail: '' } } = outcome
    const ran = { ok: true, ...(missesPreviousBlocks && { missesPreviousBlocks }) } as const
    if (transaction === null || shardAccount === null)
      return { ...ran, accepted: false, ...refusedRun, ...(exitCode !== null && { exitCode }) }
    return {
      ...ran,
      accepted: true,
      transaction: Buffer.from(transaction, 'base64'),
      shardAccount: Buffer.from(shardAccount, 'base64'),
      ...(actions !== null && { actions: Buffer.from(actions, 'base64') }),
    }
  }

  /** Threads that run or are starting. */
  get threads(): number {
    return this.workers.size
  }

  /** Ends all threads; waiting calls are rejected, running ones reported as crashed. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const waiting of this.queue.drain()) waiting.reject(new TvmClosed())
    await Promise.all([...this.workers].map((worker) => worker.close()))
    this.workers.clear()
  }

  private execute(work: Work): Promise<RunOutcome> {
    const { signal, client } = work.caller
    return new Promise((resolve, reject) => {
      if (this.isClosed) throw new TvmClosed()
      signal?.throwIfAborted()
      if (this.isSuspended(work)) return resolve(SUSPENDED)
      const settled = () => signal?.removeEventListener('abort', leave)
      const waiting: Waiting = {
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
      this.dispatch()
    })
  }

  private isSuspended({ codeKey }: Work): boolean {
    return codeKey !== undefined && this.faultyCodes.isRefused(codeKey)
  }

  private dispatch(): void {
    for (let worker = this.takeIdle(); worker; worker = this.takeIdle()) {
      const waiting = this.takeNext()
      if (!waiting) {
        this.idle.push(worker)
        return
      }
      void this.serve(worker, waiting)
    }
    const isWanted = this.queue.length > 0 && this.workers.size < this.options.threads
    if (isWanted && !this.isClosed) this.start()
  }

  private takeIdle(): TvmWorker | undefined {
    let worker = this.idle.pop()
    while (worker?.isDead) worker = this.idle.pop()
    return worker
  }

  /** The call whose turn it is; those whose code got its last strike while they waited are answered. */
  private takeNext(): Waiting | undefined {
    const { maxRunningPerClient = Number.POSITIVE_INFINITY } = this.options
    const mayRun = (client: string) => (this.running.get(client) ?? 0) < maxRunningPerClient
    let waiting = this.queue.take(mayRun)
    while (waiting && this.isSuspended(waiting)) {
      waiting.resolve(SUSPENDED)
      waiting = this.queue.take(mayRun)
    }
    return waiting
  }

  private async serve(
    worker: TvmWorker,
    { message, codeKey, environment, caller, resolve }: Waiting,
  ): Promise<void> {
    this.countRunning(caller, 1)
    const outcome = await worker.run(message, environment, this.options.timeoutMs)
    this.countRunning(caller, -1)
    // A refusal by the executor does not count against the code.
    const isFault =
      outcome.type === 'failed' && (outcome.reason === 'timeout' || outcome.reason === 'crashed')
    if (codeKey !== undefined && (isFault || outcome.type !== 'failed'))
      this.faultyCodes.note(codeKey, !isFault)
    resolve(outcome)
    if (!worker.isDead && worker.heapBytes > this.options.maxHeapBytes) await this.retire(worker)
    if (!worker.isDead) this.idle.push(worker)
    this.dispatch()
  }

  private countRunning({ client = '' }: Caller, change: 1 | -1): void {
    const count = (this.running.get(client) ?? 0) + change
    if (count === 0) this.running.delete(client)
    else this.running.set(client, count)
  }

  private async retire(worker: TvmWorker): Promise<void> {
    this.workers.delete(worker)
    await worker.close()
  }

  private start(): void {
    this.counters.threadsStarted++
    const { countsSteps = false, isBackground, idleMs } = this.options
    const worker = new TvmWorker(this.events, { countsSteps, isBackground, idleMs })
    this.workers.add(worker)
    worker.ready.then(
      () => {
        this.falseStarts = 0
        if (worker.hasCompiled) this.counters.compilations++
        this.idle.push(worker)
        this.dispatch()
      },
      (error: Error) => {
        if (++this.falseStarts < MAX_FALSE_STARTS) return
        this.falseStarts = 0
        const unavailable = new TvmUnavailable('TVM workers do not start', { cause: error })
        for (const waiting of this.queue.drain()) waiting.reject(unavailable)
      },
    )
    // Start one thread per waiting call, up to the limit.
    if (this.queue.length > this.workers.size) this.dispatch()
  }

  private toFailure({ reason, message }: Extract<RunOutcome, { type: 'failed' }>): TvmFailure {
    if (reason === 'timeout') this.counters.timeouts++
    if (reason === 'crashed') this.counters.crashes++
    return { ok: false, reason, message }
  }

  private toResult(outcome: RunOutcome): RawGetMethodResult {
    if (outcome.type === 'failed') return this.toFailure(outcome)
    if (outcome.type !== 'done') return { ok: false, reason: 'crashed', message: 'answer to another call' }
    const { exitCode, gasUsed, missingLibrary, missesPreviousBlocks, readsConfig, readsMoment } = outcome
    return {
      ...{ ok: true, exitCode, gasUsed, stackBoc: Buffer.from(outcome.stack, 'base64') },
      ...(missingLibrary && { missingLibrary: Buffer.from(missingLibrary, 'hex') }),
      ...(missesPreviousBlocks && { missesPreviousBlocks }),
      ...(readsConfig && { readsConfig }),
      ...(readsMoment && { readsMoment }),
    }
  }
}

function decodeStack(result: RawGetMethodResult): GetMethodResult {
  if (!result.ok) return result
  try {
    return { ...result, stack: decodeResults(result.stackBoc) }
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, reason: 'too_big', message: error.message }
    throw error
  }
}
