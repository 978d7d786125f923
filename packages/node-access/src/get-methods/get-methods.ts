import { type Cell, EMPTY_CELL, parseRoot, serializeBoc } from '@shardwalk/cells'
import { methodId, type StackValue, storeStack } from '@shardwalk/contracts'
import { type BlockId, DecodeError, type PreviousBlocks } from '@shardwalk/model'
import { loadTransaction } from '@shardwalk/tlb'
import {
  type Caller,
  decodeResults,
  type EmulateCall,
  type EmulateResult,
  encodeArguments,
  type RawGetMethodResult,
  type TvmPool,
} from '@shardwalk/tvm'
import type { AccountSnapshot } from '../accounts/account-snapshot.ts'
import { AsyncCache } from '../async-cache.ts'
import type { Configuration } from '../blocks/configuration.ts'
import type { Heads } from '../blocks/heads.ts'
import { callScope, untilAborted } from '../call-scope.ts'
import { NodeAccessError } from '../errors.ts'
import { VmEnvironments } from './vm-environments.ts'

/** Same as the gas limit of TON Center for get-methods. */
const GAS_LIMIT = 4_000_000
const MAX_MISSING_LIBRARIES = 8
const NO_SEED = Buffer.alloc(32)
/** Exit code of a run without code. Source: node, `crypto/smc-envelope/SmartContract.cpp`. */
const NO_CODE = -13
/** Source: node, `crypto/vm/excno.hpp`, `Excno::cell_und`. */
const CELL_UNDERFLOW = 9

/** A result with the stack not decoded. */
export interface RawRunResult {
  readonly exitCode: number
  readonly gasUsed: number
  /** `VmStack` as a bag of cells. */
  readonly stackBoc: Buffer
}

/** What a get-method returned. An exit code other than 0 and 1 is a result, not an error. */
export interface RunResult extends Omit<RawRunResult, 'stackBoc'> {
  /** Bottom of the stack first. */
  readonly stack: readonly StackValue[]
}

interface RawRun {
  readonly account: AccountSnapshot
  readonly method: string | number
  /** Arguments from `encodeArguments` of `@shardwalk/tvm`; undefined when there are none. */
  readonly stack?: Uint8Array | undefined
  /** Begin with only the parameters that most get-methods of tokens and wallets read, which is faster. */
  readonly isSlim?: boolean
  /**
   * The code was supplied by the client; it runs separately, so that it cannot delay get-methods of
   * contracts.
   */
  readonly isForeign?: boolean
}

interface Run extends Omit<RawRun, 'stack'> {
  readonly args: readonly StackValue[]
}

/** A message to be executed on the state after a masterchain block. */
export interface Emulation extends Omit<EmulateCall, 'environment' | 'previousBlocks' | keyof Caller> {
  /** Code that may run; undefined: none. Libraries that it refers to are loaded first. */
  readonly code: Cell | undefined
  readonly head: BlockId
}

export interface GetMethodsOptions {
  readonly tvm: TvmPool
  /** Runs messages and code supplied by clients. */
  readonly untrustedTvm: TvmPool
  readonly heads: Heads
  readonly configuration: Configuration
}

/** What is kept of results, and of one beside its stack. Bytes. */
const RESULTS_BYTES = 16 * 1024 * 1024
const BYTES_OF_RESULT = 500

/**
 * Runs get-methods on proven states with the configuration of the newest block, as tonlib does. Few contracts
 * read the previous blocks; a run that does is repeated with those at the block of the account's state.
 */
export class GetMethods {
  private readonly results = new AsyncCache<RawRunResult>(5000, {
    endsAlone: true,
    memory: { bytes: RESULTS_BYTES, weigh: ({ stackBoc }) => BYTES_OF_RESULT + stackBoc.length },
  })
  private readonly environments: VmEnvironments

  constructor(private readonly options: GetMethodsOptions) {
    this.environments = new VmEnvironments(options.tvm, options.configuration)
  }

  /** Errors of the contract are results; rejects when the method could not be run. */
  async run({ args, ...run }: Run): Promise<RunResult> {
    const stack = args.length === 0 ? undefined : encoded(args)
    const { exitCode, gasUsed, stackBoc } = await this.runRaw({ ...run, stack })
    try {
      return { exitCode, gasUsed, stack: decodeResults(stackBoc) }
    } catch (error) {
      throw error instanceof DecodeError ? tooBig(stack, error) : error
    }
  }

  /** Same as `run`, with arguments and result as bags of cells. */
  async runRaw(run: RawRun): Promise<RawRunResult> {
    const { account, method, stack } = run
    const id = typeof method === 'number' ? method : methodId(method)
    if (!account.code) return withoutCode(id, stack)
    const head = await this.options.heads.newest()
    // A state that a caller brought along is not that of the block.
    if (stack || run.isForeign) return this.runAt(run, id, head)
    const hashes = [head.rootHash, account.block.rootHash, account.address.hash]
    const place = hashes.map((hash) => hash.toString('latin1')).join('')
    const key = `${place}${account.address.workchain} ${id} ${run.isSlim === true}`
    return this.results.get(key, () => this.runAt(run, id, head))
  }

  /** Emulates a message. */
  async emulate({ code, head, ...call }: Emulation): Promise<EmulateResult> {
    const { environments } = this
    if (code) await environments.addLibrariesOf(code)
    const before = environments.librariesVersion
    const result = await this.emulateAt(head, call)
    if (!lacksCell(result)) return result
    // Data and messages may refer to libraries too, and the executor does not tell which one it lacked.
    for (const cell of [stateOf(call), call.message]) await environments.addLibrariesOf(cell)
    return environments.librariesVersion === before ? result : this.emulateAt(head, call)
  }

  private async emulateAt(head: BlockId, call: Omit<Emulation, 'code' | 'head'>): Promise<EmulateResult> {
    const { untrustedTvm: tvm, configuration } = this.options
    // The executor's log is too short to tell whether they are needed.
    const previousBlocks = await configuration.previousBlocks(head)
    const environment = await this.environments.at(head, false)
    return untilAborted(tvm.emulate({ ...call, ...caller(), environment, previousBlocks }))
  }

  private async runAt(
    { account, stack, isSlim = false, isForeign }: RawRun,
    method: number,
    head: BlockId,
  ): Promise<RawRunResult> {
    const { configuration } = this.options
    const tvm = isForeign ? this.options.untrustedTvm : this.options.tvm
    let isShort = isSlim
    let previousBlocks: PreviousBlocks | undefined
    const missing = new Set<string>()
    while (missing.size <= MAX_MISSING_LIBRARIES) {
      const environment = await this.environments.at(head, isShort)
      const call = {
        environment,
        method,
        ...caller(),
        // Failures that depend on a client's arguments must not suspend the code for other clients.
        callerClass: stack ? `${method} ${callScope().client ?? ''}` : String(method),
        ...(stack && { stack }),
        ...contractOf(account),
        ...(previousBlocks && { previousBlocks }),
      }
      const result = await untilAborted(tvm.runRaw(call))
      if (result.ok && result.missesPreviousBlocks) {
        previousBlocks = await configuration.previousBlocks(account.block)
        continue
      }
      if (isShort && result.ok && result.readsConfig) {
        isShort = false
        continue
      }
      const library = result.ok ? result.missingLibrary : undefined
      const key = library?.toString('hex') ?? ''
      // Another call may have made it available after this run's environment was made: one more run tells.
      if (!library || missing.has(key) || !(await this.environments.addLibrary(library)))
        return toRunResult(result, stack)
      missing.add(key)
    }
    throw new NodeAccessError('too_many_libraries', 'Too many missing libraries')
  }
}

/** Whether TVM ended for want of a cell, which may be a library. */
function lacksCell(result: EmulateResult): boolean {
  if (!result.ok) return false
  if (!result.accepted) return result.exitCode === CELL_UNDERFLOW
  const { computePhase } = loadTransaction(parseRoot(result.transaction).slice(), 0).description
  return computePhase?.skipped === false && computePhase.exitCode === CELL_UNDERFLOW
}

const stateOf = ({ shardAccount }: Pick<Emulation, 'shardAccount'>): Cell =>
  shardAccount instanceof Uint8Array ? parseRoot(shardAccount) : shardAccount

const contractOf = (account: AccountSnapshot) => ({
  code: bagOf(account.code!),
  // Code that repeatedly killed its thread is refused for a while.
  codeHash: account.code!.hash(),
  data: bagOf(account.data ?? EMPTY_CELL),
  address: account.address,
  now: account.utime,
  balance: account.balance,
  ...(account.extraCurrencies && { extraCurrencies: account.extraCurrencies }),
  seed: NO_SEED,
  gasLimit: GAS_LIMIT,
})

const caller = (): Caller => {
  const { client, signal } = callScope()
  return { client, signal }
}

function toRunResult(result: RawGetMethodResult, stack: Uint8Array | undefined): RawRunResult {
  if (result.ok) return { exitCode: result.exitCode, gasUsed: result.gasUsed, stackBoc: result.stackBoc }
  switch (result.reason) {
    case 'timeout':
      throw new NodeAccessError('get_method_timeout', 'the get-method took too long')
    case 'too_big':
      throw tooBig(stack)
    case 'suspended':
      throw new NodeAccessError('get_method_suspended', result.message)
    default:
      throw new NodeAccessError('get_method_not_run', `the get-method could not be run: ${result.message}`)
  }
}

/** Arguments that a method leaves on the stack are part of the result. */
const tooBig = (stack: Uint8Array | undefined, cause?: unknown): NodeAccessError =>
  stack
    ? new NodeAccessError(
        'get_method_arguments_refused',
        'TVM stack size exceeds limit: the arguments together with the result',
        { cause },
      )
    : new NodeAccessError('get_method_result_too_big', 'TVM stack size exceeds limit', { cause })

function encoded(args: readonly StackValue[]): Buffer {
  try {
    return encodeArguments(args)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new NodeAccessError(
      'get_method_arguments_refused',
      `TVM stack size exceeds limit: ${error.message}`,
    )
  }
}

/** Without code TVM does not start: the arguments stay on the stack, with the method id on top. */
function withoutCode(method: number, stack: Uint8Array | undefined): RawRunResult {
  const args = stack ? decodeResults(stack) : []
  const left = storeStack([...args, { type: 'int', value: BigInt(method) }])
  return { exitCode: NO_CODE, gasUsed: 0, stackBoc: serializeBoc(left) }
}

/** Caches the bags of codes and data that are run repeatedly. */
const bags = new WeakMap<Cell, Buffer>()

function bagOf(cell: Cell): Buffer {
  const known = bags.get(cell)
  if (known) return known
  const bag = serializeBoc(cell)
  bags.set(cell, bag)
  return bag
}
