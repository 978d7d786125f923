import { createHash } from 'node:crypto'
import { Builder, buildDict, type Cell, parseBoc, serializeBoc } from '@shardwalk/cells'
import { methodId, parseStack, storeStack } from '@shardwalk/contracts'
import { DecodeError, formatRawAddress } from '@shardwalk/model'
import { TvmClosed, TvmOverloaded, TvmUnavailable } from './errors.ts'
import { FaultyCodes } from './faulty-codes.ts'
import { previousBlocksText } from './previous-blocks.ts'
import type { EmulateMessage, RunMessage } from './protocol.ts'
import { ResultCache } from './result-cache.ts'
import { type RunOutcome, TvmWorker } from './tvm-worker.ts'
import type {
  EmulateCall,
  EmulateResult,
  GetMethodCall,
  GetMethodResult,
  TvmEnvironment,
  TvmFailure,
  TvmPoolOptions,
} from './types.ts'

const DEFAULT_GAS = 1_000_000
const MAX_GAS = 10_000_000
/** The executor stores balances in 64 bits and throws beyond. */
const MAX_BALANCE = 2n ** 64n - 1n
/**
 * Number of consecutive threads that exit before being ready after which the installation counts as broken.
 */
const MAX_FALSE_STARTS = 3

interface EnvironmentSource {
  readonly config: Cell
  readonly libraries?: Cell
}

interface Waiting {
  readonly message: RunMessage | EmulateMessage
  readonly codeHash: string | undefined
  readonly environment: TvmEnvironment
  readonly resolve: (outcome: RunOutcome) => void
  readonly reject: (error: Error) => void
}

/**
 * Runs get-methods of contracts on worker threads, each with its own executor. A contract that loops or
 * crashes the executor costs its thread, which is replaced; other calls continue. Threads start with the
 * first call and do not keep the process alive.
 */
export class TvmPool {
  private readonly options: Required<TvmPoolOptions>
  private readonly workers = new Set<TvmWorker>()
  private readonly idle: TvmWorker[] = []
  private readonly queue: Waiting[] = []
  private readonly cache: ResultCache<GetMethodResult>
  private readonly faultyCodes = new FaultyCodes()
  private nextTask = 1
  private nextEnvironment = 1
  private falseStarts = 0
  private isClosed = false
  /** Counts since the start, for metrics. */
  readonly counters = { calls: 0, cacheHits: 0, timeouts: 0, crashes: 0, threadsStarted: 0 }

  constructor(options: TvmPoolOptions = {}) {
    this.options = {
      threads: 1,
      timeoutMs: 2_000,
      maxWaiting: 10_000,
      maxHeapBytes: 256 * 1024 * 1024,
      cacheSize: 20_000,
      ...options,
    }
    this.cache = new ResultCache(this.options.cacheSize)
  }

  /**
   * Registers configuration and libraries for use by calls. `config` is the dictionary of parameters
   * (`Hashmap 32 ^Cell`), `libraries` the dictionary from hashes to library cells. Every call parses the
   * configuration, which takes about ten times as long as a typical run if it is complete: see `slimConfig`.
   */
  environment({ config, libraries }: EnvironmentSource): TvmEnvironment {
    return {
      id: this.nextEnvironment++,
      config: base64(config),
      libraries: base64(libraries ?? NO_LIBRARIES),
    }
  }

  /**
   * Runs one method. Rejects only with `TvmOverloaded`, `TvmClosed` or `TvmUnavailable`; contract errors are
   * results.
   */
  async run(call: GetMethodCall): Promise<GetMethodResult> {
    this.counters.calls++
    const balance = call.balance ?? 0n
    if (balance < 0n || balance > MAX_BALANCE)
      return { ok: false, reason: 'refused', message: `balance ${balance}` }
    const codeHash = call.codeHash && Buffer.from(call.codeHash).toString('latin1')
    return this.toResult(await this.execute(call.environment, this.message(call), codeHash))
  }

  /**
   * Like `run`, with answers cached by address, code hash, data hash, method and arguments. Only for methods
   * that depend on nothing else (time, balance, configuration). Failures to run are not cached.
   */
  async runCached(
    call: GetMethodCall & { readonly codeHash: Uint8Array; readonly dataHash: Uint8Array },
  ): Promise<GetMethodResult> {
    const key = cacheKey(call)
    const known = this.cache.get(key)
    if (known) {
      this.counters.cacheHits++
      return known
    }
    const result = await this.run(call)
    if (result.ok && !result.missingLibrary) this.cache.set(key, result)
    return result
  }

  /**
   * Emulates a message to an account: the transaction as the node would create it, or none if the contract
   * does not accept the message. Rejects like `run`.
   */
  async emulate(call: EmulateCall): Promise<EmulateResult> {
    this.counters.calls++
    const message: EmulateMessage = {
      type: 'emulate',
      task: this.nextTask++,
      environment: call.environment.id,
      shardAccount: base64(call.shardAccount),
      message: base64(call.message),
      now: call.now,
      lt: String(call.lt),
      // A seed of 32 zeros would make the executor use a random one.
      seed: Buffer.from(call.seed ?? createHash('sha256').update(call.message.hash()).digest()).toString(
        'hex',
      ),
      ignoreSignatures: call.ignoreSignatures,
      ...(call.previousBlocks && { previousBlocks: previousBlocksText(call.previousBlocks) }),
    }
    const outcome = await this.execute(call.environment, message, undefined)
    if (outcome.type === 'failed') return this.toFailure(outcome)
    if (outcome.type !== 'emulated')
      return { ok: false, reason: 'crashed', message: 'answer to another call' }
    const { transaction, shardAccount, actions, exitCode, missesPreviousBlocks } = outcome
    const ran = { ok: true, ...(missesPreviousBlocks && { missesPreviousBlocks }) } as const
    if (transaction === null || shardAccount === null)
      return { ...ran, accepted: false, ...(exitCode !== null && { exitCode }) }
    return {
      ...ran,
      accepted: true,
      transaction: Buffer.from(transaction, 'base64'),
      shardAccount: Buffer.from(shardAccount, 'base64'),
      ...(actions !== null && { actions: Buffer.from(actions, 'base64') }),
    }
  }

  /** Ends all threads; waiting calls are rejected, running ones reported as crashed. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const waiting of this.queue.splice(0)) waiting.reject(new TvmClosed())
    await Promise.all([...this.workers].map((worker) => worker.close()))
    this.workers.clear()
  }

  private message(call: GetMethodCall): RunMessage {
    const seed = call.seed ?? createHash('sha256').update(formatRawAddress(call.address)).digest()
    return {
      type: 'run',
      task: this.nextTask++,
      environment: call.environment.id,
      code: Buffer.from(call.code).toString('base64'),
      data: Buffer.from(call.data).toString('base64'),
      stack: base64(storeStack(call.args ?? [])),
      methodId: typeof call.method === 'number' ? call.method : methodId(call.method),
      address: formatRawAddress(call.address),
      now: call.now,
      balance: String(call.balance ?? 0n),
      ...extraCurrenciesOf(call),
      ...(call.previousBlocks && { previousBlocks: previousBlocksText(call.previousBlocks) }),
      seed: Buffer.from(seed).toString('hex'),
      gasLimit: String(Math.min(call.gasLimit ?? DEFAULT_GAS, MAX_GAS)),
    }
  }

  private execute(
    environment: TvmEnvironment,
    message: RunMessage | EmulateMessage,
    codeHash: string | undefined,
  ): Promise<RunOutcome> {
    if (this.isClosed) return Promise.reject(new TvmClosed())
    if (this.queue.length >= this.options.maxWaiting)
      return Promise.reject(new TvmOverloaded(this.queue.length))
    return new Promise((resolve, reject) => {
      this.queue.push({ message, codeHash, environment, resolve, reject })
      this.dispatch()
    })
  }

  private dispatch(): void {
    while (this.queue.length > 0) {
      const { codeHash, resolve } = this.queue[0] as Waiting
      if (codeHash !== undefined && this.faultyCodes.isRefused(codeHash)) {
        this.queue.shift()
        resolve({
          type: 'failed',
          reason: 'refused',
          message: 'runs of this code were killed or crashed several times',
        })
        continue
      }
      const worker = this.idle.pop()
      if (!worker) break
      if (!worker.isDead) void this.serve(worker, this.queue.shift() as Waiting)
    }
    if (this.queue.length > 0 && this.workers.size < this.options.threads && !this.isClosed) this.start()
  }

  private async serve(
    worker: TvmWorker,
    { message, codeHash, environment, resolve }: Waiting,
  ): Promise<void> {
    const outcome = await worker.run(message, environment, this.options.timeoutMs)
    if (codeHash !== undefined) this.faultyCodes.note(codeHash, outcome.type !== 'failed')
    resolve(outcome)
    if (!worker.isDead && worker.heapBytes > this.options.maxHeapBytes) await this.retire(worker)
    if (!worker.isDead) this.idle.push(worker)
    this.dispatch()
  }

  private async retire(worker: TvmWorker): Promise<void> {
    this.workers.delete(worker)
    await worker.close()
  }

  private start(): void {
    this.counters.threadsStarted++
    const worker = new TvmWorker((dead) => {
      this.workers.delete(dead)
      this.dispatch()
    })
    this.workers.add(worker)
    worker.ready.then(
      () => {
        this.falseStarts = 0
        this.idle.push(worker)
        this.dispatch()
      },
      (error: Error) => {
        if (++this.falseStarts < MAX_FALSE_STARTS) return
        this.falseStarts = 0
        const unavailable = new TvmUnavailable('TVM workers do not start', { cause: error })
        for (const waiting of this.queue.splice(0)) waiting.reject(unavailable)
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

  private toResult(outcome: RunOutcome): GetMethodResult {
    if (outcome.type === 'failed') return this.toFailure(outcome)
    if (outcome.type !== 'done') return { ok: false, reason: 'crashed', message: 'answer to another call' }
    const { exitCode, gasUsed, missingLibrary, missesPreviousBlocks } = outcome
    const stackBoc = Buffer.from(outcome.stack, 'base64')
    try {
      const bag = parseBoc(stackBoc)
      const stack = parseStack(bag.slice(bag.root))
      return {
        ...{ ok: true, exitCode, gasUsed, stack, stackBoc },
        ...(missingLibrary && { missingLibrary: Buffer.from(missingLibrary, 'hex') }),
        ...(missesPreviousBlocks && { missesPreviousBlocks }),
      }
    } catch (error) {
      if (error instanceof DecodeError) return { ok: false, reason: 'too_big', message: error.message }
      throw error
    }
  }
}

/** One unused entry: given no libraries, the executor would keep those of the previous call. */
const NO_LIBRARIES = buildDict([[0n, new Builder().storeRef(new Builder().endCell())]], 256) as Cell

function extraCurrenciesOf({ extraCurrencies }: GetMethodCall): Pick<RunMessage, 'extraCurrencies'> {
  if (extraCurrencies?.size !== 1) return {}
  return {
    extraCurrencies: Object.fromEntries([...extraCurrencies].map(([id, amount]) => [id, String(amount)])),
  }
}

const base64 = (cell: Cell): string => serializeBoc(cell).toString('base64')

function cacheKey(
  call: GetMethodCall & { readonly codeHash: Uint8Array; readonly dataHash: Uint8Array },
): string {
  const hash = createHash('sha256').update(call.codeHash).update(call.dataHash)
  hash.update(`${formatRawAddress(call.address)} ${call.method} ${call.gasLimit ?? DEFAULT_GAS} `)
  if (call.args && call.args.length > 0) hash.update(storeStack(call.args).hash())
  return hash.digest('base64')
}
