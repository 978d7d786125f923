import { Builder, type Cell, sliceToCell } from '@shardwalk/cells'
import { MASTERCHAIN, type RawAddress, shardContainsPrefix } from '@shardwalk/model'
import {
  findShardAccount,
  loadShardState,
  loadShardStateRest,
  loadStateConfig,
  type ShardAccount,
  type ShardState,
} from '@shardwalk/tlb'
import { type EmulateResult, publicLibraries, type TvmEnvironment, TvmPool } from '@shardwalk/tvm'
import { accountPrefix } from './answers/accounts.ts'
import { NOT_APPLIED } from './answers/external-message.ts'
import type { ReplayChain } from './chain.ts'
import { previousBlocks } from './previous-blocks.ts'
import { Refusal } from './refusal.ts'

/**
 * Runs external messages on the state at the head as a node does before it takes them: with the time of that
 * state, and no further than the contract's acceptance matters. Source: node,
 * validator/impl/external-message.cpp, `run_message_on_account`.
 */
export class MessageRunner {
  private readonly tvm = new TvmPool({ threads: 1, countsSteps: true, timeoutMs: 10_000 })
  /** Of the configuration and libraries that were used last. */
  private environment: { readonly key: string; readonly value: TvmEnvironment } | undefined

  constructor(private readonly chain: ReplayChain) {}

  /** Throws `Refusal` if the destination has no state. */
  async exists(_message: Cell, destination: RawAddress): Promise<void> {
    await this.find(destination)
  }

  /** Throws `Refusal` with the node's text if the contract does not accept the message. */
  async run(message: Cell, destination: RawAddress): Promise<void> {
    const { id: head } = this.chain.head
    const { state, account } = await this.find(destination)
    const call = {
      environment: await this.environmentAt(head),
      shardAccount: shardAccountCell(account),
      message,
      now: state.genUtime,
      lt: state.genLt + 1n,
      ignoreSignatures: false,
    }
    const result = await this.tvm.emulate(call)
    const missesBlocks = result.ok && result.missesPreviousBlocks
    const final = missesBlocks
      ? await this.tvm.emulate({ ...call, previousBlocks: previousBlocks(this.chain, head.seqno) })
      : result
    const problem = problemOf(final, destination)
    if (problem !== undefined)
      throw notApplied(`External message was not accepted\nCannot run message on account: ${problem}`)
  }

  private async find(destination: RawAddress): Promise<Found> {
    const state = await this.stateOf(destination)
    const account = state && findShardAccount(state, destination.hash)
    if (!state || !account) throw notApplied('Failed to unpack account state')
    return { state, account }
  }

  /** The shard state that holds the account; undefined if its workchain does not exist. */
  private async stateOf({ workchain, hash }: RawAddress): Promise<ShardState | undefined> {
    const { head } = this.chain
    const prefix = accountPrefix(hash)
    const candidates = workchain === MASTERCHAIN ? [head.id] : this.chain.shardTops(head.id.seqno)
    const top = candidates.find((id) => id.workchain === workchain && shardContainsPrefix(id.shard, prefix))
    return top && loadShardState((await this.chain.state(top)).slice())
  }

  private async environmentAt(head: ReplayChain['head']['id']): Promise<TvmEnvironment> {
    const { custom, rest } = loadShardState((await this.chain.state(head)).slice())
    const config = sliceToCell(loadStateConfig(custom!.loadRefSlice()).root)
    const libraries = loadShardStateRest(rest.loadRefSlice()).libraries
    const published = libraries && sliceToCell(libraries.clone())
    const key = Buffer.concat([config.hash(), published?.hash() ?? Buffer.alloc(0)]).toString('latin1')
    if (this.environment?.key !== key) {
      const usable = publicLibraries(libraries)
      const source = { config, ...(usable && { libraries: usable }) }
      this.environment = { key, value: this.tvm.environment(source) }
    }
    return this.environment.value
  }

  close(): Promise<void> {
    return this.tvm.close()
  }
}

interface Found {
  readonly state: ShardState
  readonly account: ShardAccount
}

const notApplied = (problem: string): Refusal => new Refusal(0, `${NOT_APPLIED}${problem}`)

/** Why the account refuses the message, in the node's words; undefined: it does not. */
function problemOf(result: EmulateResult, { hash }: RawAddress): string | undefined {
  if (!result.ok) throw new Error(`message not run: ${result.reason}: ${result.message}`)
  if (result.accepted) return undefined
  const account = hash.toString('hex').toUpperCase()
  if (result.exitCode === undefined)
    return `inbound external message rejected by account ${account} before smart-contract execution`
  const log = result.logTail === '' ? '' : `\nVM Log (truncated):\n...${result.logTail}`
  // The gas of a message that is not accepted is not charged.
  const outcome = `exitcode=${result.exitCode}, steps=${result.steps}, gas_used=0`
  return `inbound external message rejected by transaction ${account}:\n${outcome}${log}`
}

/** block.tlb `account_descr$_ account:^Account last_trans_hash:bits256 last_trans_lt:uint64`. */
const shardAccountCell = ({ account, lastTransHash, lastTransLt }: ShardAccount): Cell =>
  new Builder()
    .storeRef(account.preloadRefCell())
    .storeBytes(lastTransHash)
    .storeUint(lastTransLt, 64)
    .endCell()
