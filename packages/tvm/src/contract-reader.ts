import { type Cell, parseBoc } from '@shardwalk/cells'
import {
  type ContractReader,
  type ContractState,
  methodIdsOf,
  nativeGetter,
  type StackValue,
} from '@shardwalk/contracts'
import { formatRawAddress, type RawAddress, RecentMap } from '@shardwalk/model'
import { MethodNotRun } from './errors.ts'
import type { TvmPool } from './tvm-pool.ts'
import type { GetMethodResult, TvmEnvironment } from './types.ts'

/**
 * State of an active account: bags of cells, nanotons, and `now`, the gen_utime of the block of the state.
 */
export interface LoadedContract {
  readonly address: RawAddress
  readonly codeHash: Buffer
  readonly dataHash: Buffer
  readonly code: Uint8Array
  readonly data: Uint8Array
  readonly balance: bigint
  readonly now: number
}

export interface TvmContractReaderOptions {
  readonly pool: TvmPool
  /** Environment for runs of a code. `isWhole`: with the complete configuration, which a run has read. */
  readonly environmentFor: (codeHash: Buffer, isWhole: boolean) => TvmEnvironment
  /** A public library. Default: none is known. */
  readonly findLibrary?: (hash: Buffer) => Cell | undefined
  /** State of another contract as of the same masterchain block; undefined if it is not active. */
  readonly load: (address: RawAddress) => Promise<LoadedContract | undefined>
  /**
   * Makes a library available that a code needs; false if it is not published. Default: never available.
   */
  readonly library?: (hash: Buffer, codeHash: Buffer) => Promise<boolean>
  /**
   * Whether a run that may have failed for other reasons than the contract's own (the time limit on a busy
   * machine) throws `MethodNotRun`. Default: it counts as a method without an answer.
   */
  readonly isPatient?: boolean
}

/** Maximum number of libraries fetched for one run. */
const MAX_LIBRARIES = 16

/** Method ids by code hash, shared by all readers: the code of a hash never changes. */
const methodsByCode = new RecentMap<string, ReadonlySet<number> | undefined>(50_000)

/** Answers detection rules for one masterchain block using a pool of TVM threads. Create one per block. */
export class TvmContractReader implements ContractReader {
  private readonly loaded = new Map<string, LoadedContract>()

  constructor(private readonly options: TvmContractReaderOptions) {}

  /** Registers a contract and returns its description for the rules. */
  open(contract: LoadedContract): ContractState {
    this.loaded.set(formatRawAddress(contract.address), contract)
    const { address, codeHash, dataHash } = contract
    return { address, codeHash, dataHash, methods: this.methods(contract) }
  }

  async find(address: RawAddress): Promise<ContractState | undefined> {
    const known = this.loaded.get(formatRawAddress(address)) ?? (await this.options.load(address))
    return known && this.open(known)
  }

  async run(
    contract: ContractState,
    method: string,
    args: readonly StackValue[] = [],
  ): Promise<readonly StackValue[] | undefined> {
    const loaded = this.loaded.get(formatRawAddress(contract.address))
    if (!loaded) return undefined
    const native = args.length === 0 ? nativeAnswer(loaded, method) : undefined
    if (native) return native
    const result = await this.runWithLibraries(loaded, method, args)
    if (this.options.isPatient && !result.ok && result.mayPass)
      throw new MethodNotRun(`${method} of ${formatRawAddress(contract.address)}: ${result.message}`)
    return result.ok && (result.exitCode === 0 || result.exitCode === 1) ? result.stack : undefined
  }

  /**
   * Runs again with libraries that the executor reports as missing, and with the complete configuration if
   * the contract reads it. Such a result is not cached: the next key block may change it.
   */
  private async runWithLibraries(
    loaded: LoadedContract,
    method: string,
    args: readonly StackValue[],
  ): Promise<GetMethodResult> {
    const { pool, library, environmentFor } = this.options
    let readsConfig = false
    for (let tries = 1; ; tries++) {
      const environment = environmentFor(loaded.codeHash, readsConfig)
      const call = { ...loaded, environment, method, args }
      const result = await (readsConfig ? pool.run(call) : pool.runCached(call))
      if (result.ok && result.readsConfig && !readsConfig) {
        readsConfig = true
        continue
      }
      if (!result.ok || !result.missingLibrary || tries > MAX_LIBRARIES) return result
      if (!(await library?.(result.missingLibrary, loaded.codeHash))) return result
    }
  }

  private methods({ codeHash, code }: LoadedContract): ReadonlySet<number> | undefined {
    const key = codeHash.toString('latin1')
    if (methodsByCode.has(key)) return methodsByCode.get(key)
    const bag = parseBoc(code)
    const ids = methodIdsOf(bag.cell(bag.root), (hash) => this.options.findLibrary?.(hash))
    const methods = ids && new Set(ids)
    // A library that is missing now may be published later.
    if (methods || !bag.isExotic(bag.root)) methodsByCode.set(key, methods)
    return methods
  }
}

function nativeAnswer({ codeHash, code, data }: LoadedContract, method: string): StackValue[] | undefined {
  if (method !== 'get_wallet_data') return undefined
  const codeBag = parseBoc(code)
  const dataBag = parseBoc(data)
  return nativeGetter({
    codeHash,
    code: codeBag.cell(codeBag.root),
    data: dataBag.cell(dataBag.root),
    method,
  })
}
