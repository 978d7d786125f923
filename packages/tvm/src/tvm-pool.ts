import { DecodeError, LruCache } from '@shardwalk/model'
import { CallQueue, type WaitingCall, type Work } from './call-queue.ts'
import { TvmClosed, TvmUnavailable } from './errors.ts'
import { FaultyCodes } from './faulty-codes.ts'
import type { RunMessage } from './protocol.ts'
import { emulationProbe, ReadableEnvironments, UNREADABLE } from './readable-environments.ts'
import {
  cacheKey,
  type EnvironmentSource,
  toEmulateMessage,
  toEnvironment,
  toRunMessage,
} from './requests.ts'
import { decodeStack, mayPass, toEmulateResult, toGetMethodResult, weightOf } from './results.ts'
import { TvmThreads } from './tvm-threads.ts'
import type { RunOutcome, TvmWorker } from './tvm-worker.ts'
import type {
  CacheableCall,
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
/** The executor reads no address whose workchain takes more than ten characters. */
const MIN_WORKCHAIN = -(10 ** 9) + 1
/** Of memory for cached results. */
const CACHE_BYTES = 32 * 1024 * 1024

/**
 * Runs get-methods of contracts on worker threads, each with its own executor. A contract that loops or
 * crashes the executor costs its thread, which is replaced; other calls continue. Threads start with the
 * first call and do not keep the process alive. Clients take turns; a caller that leaves frees its place.
 */
export class TvmPool {
  private readonly timeoutMs: number
  private readonly calls: CallQueue
  private readonly workers: TvmThreads
  private readonly cache: LruCache<string, GetMethodResult>
  private readonly faultyCodes: FaultyCodes
  private readonly environments: ReadableEnvironments
  /** For emulation. */
  private readonly emulators: ReadableEnvironments
  private readonly counts = { calls: 0, cacheHits: 0, timeouts: 0, crashes: 0 }
  private isClosed = false

  constructor(options: TvmPoolOptions = {}) {
    const { threads = 1, timeoutMs = 2_000, maxWaiting = 10_000, cacheSize = 20_000 } = options
    const { maxHeapBytes = 256 * 1024 * 1024, countsSteps = false, isBackground = false, idleMs } = options
    this.timeoutMs = timeoutMs
    this.cache = new LruCache({ entries: cacheSize, bytes: CACHE_BYTES })
    this.faultyCodes = new FaultyCodes(options.now)
    const examination: ConstructorParameters<typeof ReadableEnvironments>[0] = {
      run: (message, environment) => this.execute({ message, environment, caller: {} }),
      now: options.now,
    }
    this.environments = new ReadableEnvironments(examination)
    this.emulators = new ReadableEnvironments({ ...examination, probe: emulationProbe })
    this.calls = new CallQueue(this.faultyCodes, { ...options, maxWaiting })
    this.workers = new TvmThreads({
      threads,
      maxHeapBytes,
      worker: { countsSteps, isBackground, idleMs },
      onChange: () => this.dispatch(),
      onBroken: (cause) => this.calls.rejectAll(new TvmUnavailable('TVM workers do not start', { cause })),
    })
  }

  /** Counts since the start, for metrics. */
  get counters() {
    return { ...this.counts, ...this.workers.counters }
  }

  /** Calls that wait for a thread. */
  get waiting(): number {
    return this.calls.length
  }

  /** Threads that run or are starting. */
  get threads(): number {
    return this.workers.size
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
    this.counts.calls++
    const message = messageOf(call)
    if ('reason' in message) return message
    const codeKey =
      call.codeHash && `${Buffer.from(call.codeHash).toString('latin1')}${call.callerClass ?? ''}`
    const { environment } = call
    if (this.environments.isUnreadable(environment)) return UNREADABLE
    const result = toGetMethodResult(await this.execute({ message, environment, caller: call, codeKey }))
    if (result.ok || !mayPass(result)) return result
    if (result.reason === 'crashed' && (await this.isOfEnvironment(environment, codeKey))) return UNREADABLE
    if (codeKey === undefined) return result
    return { ...result, mayPass: !this.faultyCodes.isLasting(codeKey) }
  }

  /** Whether a crash says nothing of the code. */
  private async isOfEnvironment(environment: TvmEnvironment, codeKey: string | undefined): Promise<boolean> {
    await this.environments.examine(environment)
    if (!this.environments.isUnreadable(environment)) return false
    if (codeKey !== undefined) this.faultyCodes.note(codeKey, true)
    return true
  }

  /**
   * Like `run`, with answers cached by address, code hash, data hash, environment, method and arguments.
   * Failures to run are not cached, nor answers for which the contract read the time or its balance.
   */
  async runCached(call: CacheableCall): Promise<GetMethodResult> {
    const key = cacheKey(call)
    const known = this.cache.get(key)
    if (known) {
      this.counts.cacheHits++
      return known
    }
    const result = await this.run(call)
    if (result.ok && !result.missingLibrary && !result.readsMoment)
      this.cache.set(key, result, weightOf(result))
    return result
  }

  /**
   * Emulates a message to an account: the transaction as the node would create it, or none if the contract
   * does not accept the message. Rejects like `run`.
   */
  async emulate(call: EmulateCall): Promise<EmulateResult> {
    this.counts.calls++
    const { environment } = call
    if (this.emulators.isUnreadable(environment)) return UNREADABLE
    const message = toEmulateMessage(call)
    const result = toEmulateResult(await this.execute({ message, environment, caller: call }))
    if (result.ok || result.reason !== 'crashed') return result
    await this.emulators.examine(environment)
    return this.emulators.isUnreadable(environment) ? UNREADABLE : result
  }

  /** Ends all threads; waiting calls are rejected, running ones as well or reported as crashed. */
  async close(): Promise<void> {
    this.isClosed = true
    this.calls.rejectAll(new TvmClosed())
    await this.workers.close()
  }

  private async execute(work: Work): Promise<RunOutcome> {
    if (this.isClosed) throw new TvmClosed()
    const running = this.calls.add(work)
    this.dispatch()
    const outcome = await running
    if (outcome.type === 'failed' && outcome.reason === 'timeout') this.counts.timeouts++
    if (outcome.type === 'failed' && outcome.reason === 'crashed') this.counts.crashes++
    return outcome
  }

  /** Gives free threads the calls whose turn it is, and starts others for those that are left. */
  private dispatch(): void {
    for (let worker = this.workers.take(); worker; worker = this.workers.take()) {
      const call = this.calls.take()
      if (!call) {
        this.workers.putBack(worker)
        return
      }
      void this.serve(worker, call)
    }
    if (!this.isClosed) this.workers.startFor(this.calls.length)
  }

  private async serve(worker: TvmWorker, call: WaitingCall): Promise<void> {
    this.calls.began(call)
    const outcome = await worker.run(call.message, call.environment, this.timeoutMs)
    this.calls.ended(call, outcome)
    await this.workers.release(worker)
  }
}

/** What the thread gets, or why it cannot be asked. */
function messageOf(call: GetMethodCall): RunMessage | TvmFailure {
  const { balance = 0n } = call
  const { workchain } = call.address
  if (balance < 0n || balance > MAX_BALANCE)
    return { ok: false, reason: 'refused', message: `balance ${balance}` }
  if (workchain < MIN_WORKCHAIN)
    return { ok: false, reason: 'refused', message: `an account of workchain ${workchain}` }
  try {
    return toRunMessage(call)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { ok: false, reason: 'bad_arguments', message: error.message }
  }
}
