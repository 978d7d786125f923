import { Builder, buildDict, CELL, type Cell, EMPTY_CELL, serializeBoc, sliceToCell } from '@shardwalk/cells'
import { methodId, type StackValue } from '@shardwalk/contracts'
import type { BlockId, PreviousBlocks } from '@shardwalk/model'
import {
  type EmulateCall,
  type EmulateResult,
  type GetMethodResult,
  slimConfig,
  type TvmEnvironment,
  type TvmPool,
} from '@shardwalk/tvm'
import type { AccountSnapshot } from './account-snapshot.ts'
import { AsyncCache } from './async-cache.ts'
import type { ChainReader } from './chain-reader.ts'
import { NodeAccessError } from './errors.ts'

/** Source: API v2 specification 8.1. */
const GAS_LIMIT = 4_000_000
const MAX_MISSING_LIBRARIES = 8
/** Libraries that runs have needed; beyond it the oldest go. */
const MAX_LIBRARIES = 64
const NO_SEED = Buffer.alloc(32)

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

interface Emulation extends Omit<EmulateCall, 'environment' | 'previousBlocks'> {
  readonly code: Cell
  readonly head: BlockId
}

/**
 * Get-methods on proven states, with the configuration of the newest block, as tonlib runs them. Hardly any contract reads the previous blocks: they
 * are fetched for runs that looked at them, which begin again. They are those of the block that the account's state is of.
 */
export class GetMethods {
  private readonly results = new AsyncCache<RunResult>(5000)
  private readonly environments = new AsyncCache<TvmEnvironment>(8)
  private readonly libraries = new Map<string, Cell>()
  private librariesVersion = 0

  constructor(
    private readonly tvm: TvmPool,
    private readonly chain: ChainReader,
  ) {}

  /** Whatever the contract does is a result; throws when it could not be run. */
  async run(run: Run): Promise<RunResult> {
    const { account, method, args } = run
    const id = typeof method === 'number' ? method : methodId(method)
    // The machine refuses to start without code and leaves the arguments on the stack. Source: API v2 specification 8.1.
    if (!account.code)
      return { exitCode: -13, gasUsed: 0, stack: [...args, { type: 'int', value: BigInt(id) }] }
    const head = await this.chain.head()
    if (args.length > 0) return this.runAt(run, id, head)
    const place = [head.rootHash, account.block.rootHash, account.address.hash].map((part) =>
      part.toString('latin1'),
    )
    const key = `${place.join('')}${account.address.workchain} ${id} ${run.isSlim === true}`
    return this.results.get(key, () => this.runAt(run, id, head))
  }

  private async runAt(
    { account, args, isSlim = false }: Run,
    method: number,
    head: BlockId,
  ): Promise<RunResult> {
    let previousBlocks: PreviousBlocks | undefined
    for (let missing = 0; missing <= MAX_MISSING_LIBRARIES; ) {
      const result = await this.tvm.run({
        environment: await this.environment(head, isSlim),
        code: bagOf(account.code!),
        // Code that keeps killing its thread is refused for a while.
        codeHash: account.code!.hash(),
        data: bagOf(account.data ?? EMPTY_CELL),
        address: account.address,
        method,
        args,
        now: account.utime,
        balance: account.balance,
        ...(account.extraCurrencies && { extraCurrencies: account.extraCurrencies }),
        seed: NO_SEED,
        gasLimit: GAS_LIMIT,
        ...(previousBlocks && { previousBlocks }),
      })
      if (result.ok && result.missesPreviousBlocks) {
        previousBlocks = await this.chain.previousBlocks(account.block)
        continue
      }
      const library = result.ok ? result.missingLibrary : undefined
      if (!library || !(await this.addLibrary(library))) return toRunResult(result)
      missing++
    }
    throw new NodeAccessError('too_many_libraries', 'Too many missing libraries')
  }

  /** What an external message would do. `code`: its libraries are made known first. */
  async emulate(call: Emulation): Promise<EmulateResult> {
    const { code, head, ...rest } = call
    if (code.type === CELL.library) await this.addLibrary(code.data.subarray(1, 33))
    const emulation = { ...rest, environment: await this.environment(head, false) }
    const result = await this.tvm.emulate(emulation)
    if (!result.ok || !result.missesPreviousBlocks) return result
    return this.tvm.emulate({ ...emulation, previousBlocks: await this.chain.previousBlocks(head) })
  }

  /** False: it is known already, or nobody has it. */
  private async addLibrary(hash: Buffer): Promise<boolean> {
    const key = hash.toString('hex')
    if (this.libraries.has(key)) return false
    const library = await this.chain.library(hash)
    if (!library) return false
    this.libraries.set(key, library)
    if (this.libraries.size > MAX_LIBRARIES) this.libraries.delete(this.libraries.keys().next().value!)
    this.librariesVersion++
    return true
  }

  private async environment(head: BlockId, isSlim: boolean): Promise<TvmEnvironment> {
    const { header } = await this.chain.header(head)
    const epoch = header.keyBlock ? head.seqno : header.prevKeyBlockSeqno
    return this.environments.get(`${epoch} ${isSlim} ${this.librariesVersion}`, async () => {
      const { root } = await this.chain.config(head)
      const config = sliceToCell(root)
      const libraries = buildDict(
        [...this.libraries].map(
          ([hash, cell]) => [Buffer.from(hash, 'hex'), new Builder().storeRef(cell)] as const,
        ),
        256,
      )
      return this.tvm.environment({
        config: isSlim ? slimConfig(config) : config,
        ...(libraries && { libraries }),
      })
    })
  }
}

function toRunResult(result: GetMethodResult): RunResult {
  if (result.ok) return { exitCode: result.exitCode, gasUsed: result.gasUsed, stack: result.stack }
  if (result.reason === 'timeout')
    throw new NodeAccessError('get_method_timeout', 'the get-method took too long')
  if (result.reason === 'too_big')
    throw new NodeAccessError('get_method_result_too_big', 'TVM stack size exceeds limit')
  throw new NodeAccessError('get_method_not_run', `the get-method could not be run: ${result.message}`)
}

/** Bags of the codes and data that are run again and again. */
const bags = new WeakMap<Cell, Buffer>()

function bagOf(cell: Cell): Buffer {
  const known = bags.get(cell)
  if (known) return known
  const bag = serializeBoc(cell)
  bags.set(cell, bag)
  return bag
}
