import { type Cell, parseRoot } from '@shardwalk/cells'
import type { DecodedMessage, DecodedTransaction, RawAddress } from '@shardwalk/model'
import { DecodeError, formatRawAddress, sameAddress } from '@shardwalk/model'
import { loadStateInit, loadTransaction } from '@shardwalk/tlb'
import type { TvmFailure } from '@shardwalk/tvm'
import { checkRoom } from './account-room.ts'
import { readShardAccount } from './account-view.ts'
import { EmulationError } from './errors.ts'
import { EMULATION_LIMITS, type EmulationLimits, MAX_SENT_BYTES } from './limits.ts'
import type { RootMessage } from './read-message.ts'
import { traceSeed } from './seed.ts'
import { sentMessages } from './sent-messages.ts'
import { shardOf } from './shards.ts'
import type {
  AccountView,
  ChainView,
  EmulatedTrace,
  EmulatedTransaction,
  KnownTransaction,
  ShardPlace,
} from './types.ts'
import { nextLt, VirtualBlocks } from './virtual-blocks.ts'
import { type Delivery, WorkList } from './work-list.ts'

/** When a transaction happens. */
export interface Moment {
  readonly now: number
  readonly lt: bigint
  readonly seed: Buffer
}

/** How a trace is emulated. */
export interface EmulateTraceOptions {
  /** Every signature that the receiver of the message checks counts as right. */
  readonly ignoreSignatures: boolean
  readonly limits?: Partial<EmulationLimits>
  /** Ends the trace where it is; without a first transaction it rejects. */
  readonly signal?: AbortSignal | undefined
  /** When a message is received, where that is known; undefined: in the blocks that would follow. */
  readonly momentOf?: (message: DecodedMessage) => Moment | undefined
  /** The receiver's state before it, where that is known; undefined: as the trace or the chain has it. */
  readonly stateOf?: (message: DecodedMessage) => Promise<AccountView | undefined>
  /** The transaction that received it, where it is known; it takes the place of the emulated one. */
  readonly knownOf?: ((message: DecodedMessage) => KnownTransaction | undefined) | undefined
}

/**
 * The transaction that the message would cause, and all that this one would cause, on the state after
 * `chain.mcBlock`. A transaction that cannot be run leaves the others. Rejects with `EmulationError`, or with
 * the failure of the chain, when there is no first transaction.
 */
export const emulateTrace = (
  chain: ChainView,
  root: RootMessage,
  options: EmulateTraceOptions,
): Promise<EmulatedTrace> => new TraceRun(chain, root, options).run()

/**
 * What the messages, already sent by transactions that have happened, would cause together on the state after
 * `chain.mcBlock`: a trace with a root for each of them that could be received. At least one message.
 */
export const emulateTail = (
  chain: ChainView,
  messages: readonly [RootMessage, ...RootMessage[]],
  options: Pick<EmulateTraceOptions, 'limits' | 'signal' | 'knownOf'> = {},
): Promise<EmulatedTrace> =>
  new TraceRun(chain, messages[0], { ...options, ignoreSignatures: false }).runTail(messages)

/** Accounts that are asked for before their turn, for each transaction. */
const MAX_PREFETCHED = 16

class TraceRun {
  private readonly work = new WorkList()
  private readonly blocks: VirtualBlocks
  private readonly limits: EmulationLimits
  private readonly seed: Buffer
  private readonly transactions: EmulatedTransaction[] = []
  /** Accounts as transactions of this trace left them. */
  private readonly changed = new Map<string, { readonly view: AccountView; readonly boc: Uint8Array }>()
  private readonly spent = { gas: 0n, messages: 0, messageBytes: 0, stateBytes: 0 }
  private isIncomplete = false
  private isCutShort = false

  constructor(
    private readonly chain: ChainView,
    private readonly root: RootMessage,
    private readonly options: EmulateTraceOptions,
  ) {
    this.blocks = new VirtualBlocks(chain)
    this.limits = { ...EMULATION_LIMITS, ...options.limits }
    this.seed = traceSeed(root.message, chain.mcBlock)
  }

  async run(): Promise<EmulatedTrace> {
    const { cell, message } = this.root
    await this.receive({ message, cell, round: 0, depth: 0, parent: undefined })
    return this.goOn()
  }

  async runTail(messages: readonly RootMessage[]): Promise<EmulatedTrace> {
    for (const { cell, message } of messages)
      this.work.add({ message, cell, round: 0, depth: 0, parent: undefined })
    return this.goOn()
  }

  private async goOn(): Promise<EmulatedTrace> {
    for (let next = this.work.take(); next; next = this.work.take()) {
      if (this.isOver()) {
        this.isIncomplete = true
        this.isCutShort ||= this.options.signal?.aborted === true
        break
      }
      await this.receive(next).catch((error: unknown) => {
        this.isIncomplete = true
        this.isCutShort ||= mayPass(error)
      })
    }
    const { transactions, isIncomplete, isCutShort, seed } = this
    const { message } = this.root
    return { mcBlock: this.chain.mcBlock, seed, message, transactions, isIncomplete, isCutShort }
  }

  private isOver(): boolean {
    const { limits, spent } = this
    return (
      this.transactions.length >= limits.transactions ||
      spent.gas >= limits.gas ||
      spent.messages >= limits.messages ||
      spent.messageBytes >= limits.messageBytes ||
      spent.stateBytes >= limits.stateBytes ||
      this.options.signal?.aborted === true
    )
  }

  private async receive(delivery: Delivery): Promise<void> {
    const { message, cell, round } = delivery
    const address = message.destination!
    const shard = shardOf(this.chain.shards, address)
    if (!shard) throw new EmulationError('no_such_shard', 'no shard found for message')
    const key = formatRawAddress(address)
    const given = await this.options.stateOf?.(message)
    const before = given ?? this.changed.get(key)?.view ?? (await this.chain.account(address))
    const known = this.options.knownOf?.(message)
    if (known) return this.take(known, { delivery, address, shard, before })
    checkRoom(before, message)
    const block = this.blocks.at(round)
    const moment = this.options.momentOf?.(message) ?? {
      now: block.now,
      lt: nextLt(block, before, message.createdLt),
      seed: this.seed,
    }
    const result = await this.chain.run({
      account: before,
      shardAccount: given ? undefined : this.changed.get(key)?.boc,
      message: cell,
      initCode: initCode(message),
      ...moment,
      ignoreSignatures: this.options.ignoreSignatures && round === 0 && this.isRootAccount(address),
    })
    if (!result.ok) throw notRun(result)
    if (!result.accepted) throw notAccepted(result.exitCode)
    const after = readShardAccount(result.shardAccount)
    this.changed.set(key, { view: after, boc: result.shardAccount })
    this.spent.stateBytes += result.shardAccount.length
    this.record(result.transaction, { delivery, address, shard, before, after })
  }

  /** Its block does not hold the state that it leaves, so it is run for that. */
  private async take(known: KnownTransaction, received: Omit<Received, 'after'>): Promise<void> {
    const { delivery, address, before } = received
    const { now, lt } = known.transaction
    const key = formatRawAddress(address)
    const result = await this.chain
      .run({
        account: before,
        shardAccount: this.changed.get(key)?.boc,
        message: delivery.cell,
        initCode: initCode(delivery.message),
        now,
        lt,
        seed: known.seed,
        ignoreSignatures: this.options.ignoreSignatures,
      })
      .catch(() => undefined)
    const left = result?.ok && result.accepted ? result.shardAccount : undefined
    const after = left ? readShardAccount(left) : before
    if (left) this.changed.set(key, { view: after, boc: left })
    this.spent.stateBytes += left?.length ?? 0
    this.record(known.boc, { ...received, after, known })
  }

  private isRootAccount(address: RawAddress): boolean {
    return sameAddress(address, this.root.message.destination!)
  }

  private record(boc: Uint8Array, { delivery, address, shard, before, after, known }: Received): void {
    const { round, depth, parent } = delivery
    const cell = parseRoot(boc)
    const cells = sentMessages(cell)
    // Messages may share cells in the bag, but each is read on its own.
    if (cells.length * boc.length > MAX_SENT_BYTES)
      throw new EmulationError('not_run', 'failed to emulate shard block: the messages sent are too large')
    const transaction = loadTransaction(cell.slice(), address.workchain)
    const index = this.transactions.push({
      transaction,
      boc,
      parent,
      depth,
      block: known?.block ?? this.blocks.blockOf(shard, round),
      mcBlockSeqno: this.blocks.at(known ? 0 : round).mcBlockSeqno,
      before,
      after,
      ...(known && { known }),
    })
    this.count(transaction)
    for (const [i, message] of transaction.outMsgs.entries()) {
      if (message.kind !== 'internal') continue
      const sent = { message, cell: cells[i]!, depth: depth + 1, parent: index - 1 }
      this.send(sent, { round, shard, isFetched: i < MAX_PREFETCHED })
    }
  }

  private count({ outMsgs, description: { computePhase } }: DecodedTransaction): void {
    const { spent } = this
    if (computePhase && !computePhase.skipped) spent.gas += computePhase.gasUsed
    spent.messages += outMsgs.length
    for (const { body, initState } of outMsgs) spent.messageBytes += body.length + (initState?.length ?? 0)
  }

  private send(
    sent: Omit<Delivery, 'round'>,
    {
      round,
      shard,
      isFetched,
    }: { readonly round: number; readonly shard: ShardPlace; readonly isFetched: boolean },
  ): void {
    const { destination } = sent.message
    const target = destination && shardOf(this.chain.shards, destination)
    if (!target || sent.depth >= this.limits.depth) {
      this.isIncomplete = true
      return
    }
    this.work.add({ ...sent, round: target === shard ? round : round + 1 })
    // Servers are not asked for accounts whose turn will not come.
    const hasTurn = this.transactions.length + this.work.length <= this.limits.transactions
    if (isFetched && hasTurn && !this.changed.has(formatRawAddress(destination)))
      this.chain.account(destination).catch(() => {})
  }
}

interface Received {
  readonly delivery: Delivery
  readonly address: RawAddress
  readonly shard: ShardPlace
  readonly before: AccountView
  readonly after: AccountView
  readonly known?: KnownTransaction | undefined
}

const notRun = ({ reason, message }: TvmFailure): EmulationError =>
  new EmulationError(
    reason === 'timeout' ? 'deadline' : 'not_run',
    `failed to emulate shard block: ${message}`,
  )

/** Whether what failed may succeed another time: a run that was out of time, servers that were away. */
const mayPass = (error: unknown): boolean =>
  error instanceof EmulationError ? error.code === 'deadline' : !(error instanceof DecodeError)

/** Clients look for the first word of the text. */
const notAccepted = (exitCode: number | undefined): EmulationError =>
  new EmulationError(
    'not_accepted',
    'failed to emulate shard block: EmulationExternalNotAccepted: ' +
      String(exitCode ?? 'no code or no money to run it'),
  )

/** The code that would be deployed. */
const initCode = ({ initState }: DecodedMessage): Cell | undefined =>
  initState && loadStateInit(parseRoot(initState).slice()).code?.preloadRefCell()
