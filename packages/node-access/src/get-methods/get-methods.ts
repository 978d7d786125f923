import { CELL, type Cell, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { methodId, type StackValue } from '@shardwalk/contracts'
import type { BlockId, PreviousBlocks } from '@shardwalk/model'
import type { EmulateCall, EmulateResult, GetMethodResult, TvmPool } from '@shardwalk/tvm'
import type { AccountSnapshot } from '../accounts/account-snapshot.ts'
import { AsyncCache } from '../async-cache.ts'
import type { Configuration } from '../blocks/configuration.ts'
import type { Heads } from '../blocks/heads.ts'
import { untilAborted } from '../call-scope.ts'
import { NodeAccessError } from '../errors.ts'
import { VmEnvironments } from './vm-environments.ts'

/** As much as TON Center allows a get-method. */
const GAS_LIMIT = 4_000_000
const MAX_MISSING_LIBRARIES = 8
const NO_SEED = Buffer.alloc(32)
/**
 * The exit code without code: the machine does not start. Source: node,
 * `crypto/smc-envelope/SmartContract.cpp`.
 */
const NO_CODE = -13

export interface RunResult {
  readonly exitCode: number
  readonly gasUsed: number
  /** Bottom first. */
  readonly stack: readonly StackValue[]
}

interface Run {
  readonly account: AccountSnapshot
  readonly method: string | number
  readonly args: readonly StackValue[]
  /** Only parameters that getters of tokens and wallets read: faster. */
  readonly isSlim?: boolean
}

export interface Emulation extends Omit<EmulateCall, 'environment' | 'previousBlocks'> {
  /** The code that runs: its library is made known first. */
  readonly code: Cell
  readonly head: BlockId
}

export interface GetMethodsOptions {
  readonly tvm: TvmPool
  readonly heads: Heads
  readonly configuration: Configuration
}

/**
 * Get-methods on proven states, with the configuration of the newest block, as tonlib runs them. Hardly any
 * contract reads the previous blocks: a run that turns out to is repeated with those of the block that the
 * account's state is of.
 */
export class GetMethods {
  private readonly results = new AsyncCache<RunResult>(5000)
  private readonly environments: VmEnvironments

  constructor(private readonly options: GetMethodsOptions) {
    this.environments = new VmEnvironments(options.tvm, options.configuration)
  }

  /** Whatever the contract does is a result; rejects when the method could not be run. */
  async run(run: Run): Promise<RunResult> {
    const { account, method, args } = run
    const id = typeof method === 'number' ? method : methodId(method)
    // The arguments stay on the stack.
    if (!account.code)
      return { exitCode: NO_CODE, gasUsed: 0, stack: [...args, { type: 'int', value: BigInt(id) }] }
    const head = await this.options.heads.newest()
    if (args.length > 0) return this.runAt(run, id, head)
    const hashes = [head.rootHash, account.block.rootHash, account.address.hash]
    const place = hashes.map((hash) => hash.toString('latin1')).join('')
    const key = `${place}${account.address.workchain} ${id} ${run.isSlim === true}`
    return this.results.get(key, () => this.runAt(run, id, head))
  }

  /** What an external message would do. */
  async emulate({ code, head, ...call }: Emulation): Promise<EmulateResult> {
    const { tvm, configuration } = this.options
    if (code.type === CELL.library) await this.environments.addLibrary(libraryHash(code))
    const emulation = { ...call, environment: await this.environments.at(head, false) }
    const result = await untilAborted(tvm.emulate(emulation))
    if (!result.ok || !result.missesPreviousBlocks) return result
    const previousBlocks = await configuration.previousBlocks(head)
    return untilAborted(tvm.emulate({ ...emulation, previousBlocks }))
  }

  private async runAt(
    { account, args, isSlim = false }: Run,
    method: number,
    head: BlockId,
  ): Promise<RunResult> {
    const { tvm, configuration } = this.options
    let previousBlocks: PreviousBlocks | undefined
    for (let missing = 0; missing <= MAX_MISSING_LIBRARIES; ) {
      const environment = await this.environments.at(head, isSlim)
      const call = {
        environment,
        method,
        args,
        ...contractOf(account),
        ...(previousBlocks && { previousBlocks }),
      }
      const result = await untilAborted(tvm.run(call))
      if (result.ok && result.missesPreviousBlocks) {
        previousBlocks = await configuration.previousBlocks(account.block)
        continue
      }
      const library = result.ok ? result.missingLibrary : undefined
      if (!library || !(await this.environments.addLibrary(library))) return toRunResult(result)
      missing++
    }
    throw new NodeAccessError('too_many_libraries', 'Too many missing libraries')
  }
}

/** Source: node, library cell: tag 02, hash of the cell it stands for. */
const libraryHash = (code: Cell): Buffer => code.data.subarray(1, 33)

const contractOf = (account: AccountSnapshot) => ({
  code: bagOf(account.code!),
  // Code that keeps killing its thread is refused for a while.
  codeHash: account.code!.hash(),
  data: bagOf(account.data ?? EMPTY_CELL),
  address: account.address,
  now: account.utime,
  balance: account.balance,
  ...(account.extraCurrencies && { extraCurrencies: account.extraCurrencies }),
  seed: NO_SEED,
  gasLimit: GAS_LIMIT,
})

function toRunResult(result: GetMethodResult): RunResult {
  if (result.ok) return { exitCode: result.exitCode, gasUsed: result.gasUsed, stack: result.stack }
  if (result.reason === 'timeout')
    throw new NodeAccessError('get_method_timeout', 'the get-method took too long')
  if (result.reason === 'too_big')
    throw new NodeAccessError('get_method_result_too_big', 'TVM stack size exceeds limit')
  throw new NodeAccessError('get_method_not_run', `the get-method could not be run: ${result.message}`)
}

/** Bags of codes and data that are run again and again. */
const bags = new WeakMap<Cell, Buffer>()

function bagOf(cell: Cell): Buffer {
  const known = bags.get(cell)
  if (known) return known
  const bag = serializeBoc(cell)
  bags.set(cell, bag)
  return bag
}
