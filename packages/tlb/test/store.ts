import { Builder, buildDict, type Cell, forEachLeaf, loadDictRoot } from '@shardwalk/cells'
import type {
  ActionPhase,
  BouncePhase,
  ComputePhase,
  CreditPhase,
  DecodedTransaction,
  SplitMergeInfo,
  StatusChange,
  StoragePhase,
  StorageUsed,
  TransactionDescription,
} from '@shardwalk/model'
import { storeCurrencyCollection } from '../src/index.ts'

/**
 * block.tlb `transaction$0111`; the cells of messages and description are those of the transaction that was
 * loaded.
 */
export function storeTransaction(transaction: DecodedTransaction, loaded: Cell): Cell {
  const { totalFees, totalFeesExtraCurrencies, stateHashBefore, stateHashAfter } = transaction
  const builder = new Builder()
    .storeUint(0b0111, 4)
    .storeBytes(transaction.account.hash)
    .storeUint(transaction.lt, 64)
    .storeBytes(transaction.prevTransHash)
    .storeUint(transaction.prevTransLt, 64)
    .storeUint(transaction.now, 32)
    .storeUint(transaction.outMsgs.length, 15)
    .storeUint(STATUSES.indexOf(transaction.origStatus), 2)
    .storeUint(STATUSES.indexOf(transaction.endStatus), 2)
    .storeRef(storeMessages(transaction, loaded.refs[0] as Cell))
  const update = new Builder().storeUint(0x72, 8).storeBytes(stateHashBefore).storeBytes(stateHashAfter)
  return storeCurrencyCollection(builder, { grams: totalFees, extra: totalFeesExtraCurrencies })
    .storeRef(update.endCell())
    .storeRef(loaded.refs.at(-1) as Cell)
    .endCell()
}

const STATUSES = ['uninit', 'frozen', 'active', 'nonexist']

/**
 * `^[ in_msg:(Maybe ^(Message Any)) out_msgs:(HashmapE 15 ^(Message Any)) ]`, each message found by its hash.
 */
function storeMessages({ inMsg, outMsgs }: DecodedTransaction, loaded: Cell): Cell {
  const cells = new Map<string, Cell>()
  const slice = loaded.slice()
  const add = (cell: Cell): unknown => cells.set(cell.hash().toString('hex'), cell)
  if (slice.loadBit()) add(slice.loadRefCell())
  forEachLeaf(loadDictRoot(slice), 15, (value) => {
    add(value.loadRefCell())
  })
  const cellOf = (hash: Buffer): Cell => cells.get(hash.toString('hex')) as Cell
  const out = outMsgs.map(({ hash }, i) => [BigInt(i), new Builder().storeRef(cellOf(hash))] as const)
  return new Builder()
    .storeMaybeRef(inMsg && cellOf(inMsg.hash))
    .storeMaybeRef(buildDict(out, 15))
    .endCell()
}

/**
 * block.tlb `TransactionDescr`. `prepareTransaction`: what the kinds that install name, which is not loaded.
 */
export function storeDescription(description: TransactionDescription, prepareTransaction?: Cell): Cell {
  const builder = new Builder().storeUint(tagOf(description), 4)
  const { kind, splitInfo } = description
  if (splitInfo) storeSplitInfo(builder, splitInfo)
  if (kind === 'split_install' || kind === 'merge_install') builder.storeRef(prepareTransaction as Cell)
  if (kind === 'split_install') return builder.storeBit(description.installed as boolean).endCell()
  const isMaybe = kind === 'ord' || kind === 'split_prepare' || kind === 'merge_install'
  if (kind === 'ord') builder.storeBit(description.creditFirst as boolean)
  const maybe = <T>(phase: T | undefined, store: (phase: T) => void): void => {
    builder.storeBit(phase !== undefined)
    if (phase) store(phase)
  }
  if (isMaybe) maybe(description.storagePhase, (phase) => storeStorage(builder, phase))
  else storeStorage(builder, description.storagePhase as StoragePhase)
  if (kind === 'ord' || kind === 'merge_install')
    maybe(description.creditPhase, (phase) => storeCredit(builder, phase))
  if (description.computePhase) storeCompute(builder, description.computePhase)
  if (kind !== 'storage' && kind !== 'merge_prepare')
    builder.storeMaybeRef(description.actionPhase && storeAction(description.actionPhase))
  if (kind !== 'storage') builder.storeBit(description.aborted as boolean)
  if (kind === 'ord') maybe(description.bouncePhase, (phase) => storeBounce(builder, phase))
  if (kind !== 'storage' && kind !== 'merge_prepare') builder.storeBit(description.destroyed as boolean)
  return builder.endCell()
}

const TAGS = {
  ord: 0,
  storage: 1,
  tick_tock: 2,
  split_prepare: 4,
  split_install: 5,
  merge_prepare: 6,
  merge_install: 7,
} as const

const tagOf = ({ kind, isTock }: TransactionDescription): number => TAGS[kind] + (isTock ? 1 : 0)

const storeMaybeCoins = (builder: Builder, coins: bigint | undefined): Builder =>
  coins === undefined ? builder.storeBit(0) : builder.storeBit(1).storeCoins(coins)

const storeMaybeInt32 = (builder: Builder, value: number | undefined): Builder =>
  value === undefined ? builder.storeBit(0) : builder.storeBit(1).storeInt(value, 32)

const storeUsed = (builder: Builder, { cells, bits }: StorageUsed): Builder =>
  builder.storeVarUint(cells, 3).storeVarUint(bits, 3)

function storeStatusChange(builder: Builder, change: StatusChange): void {
  if (change === 'unchanged') builder.storeBit(0)
  else builder.storeUint(change === 'frozen' ? 0b10 : 0b11, 2)
}

function storeSplitInfo(builder: Builder, info: SplitMergeInfo): void {
  builder.storeUint(info.curShardPfxLen, 6).storeUint(info.accSplitDepth, 6)
  builder.storeBytes(info.thisAddr).storeBytes(info.siblingAddr)
}

function storeStorage(builder: Builder, phase: StoragePhase): void {
  storeMaybeCoins(builder.storeCoins(phase.storageFeesCollected), phase.storageFeesDue)
  storeStatusChange(builder, phase.statusChange)
}

function storeCredit(builder: Builder, phase: CreditPhase): void {
  storeMaybeCoins(builder, phase.dueFeesCollected)
  storeCurrencyCollection(builder, { grams: phase.credit, extra: phase.creditExtraCurrencies })
}

const SKIP_REASONS = {
  no_state: [0b00, 2],
  bad_state: [0b01, 2],
  no_gas: [0b10, 2],
  suspended: [0b110, 3],
} as const

function storeCompute(builder: Builder, phase: ComputePhase): void {
  if (phase.skipped) {
    const [tag, bits] = SKIP_REASONS[phase.reason]
    builder.storeBit(0).storeUint(tag, bits)
    return
  }
  const vm = new Builder().storeVarUint(phase.gasUsed, 3).storeVarUint(phase.gasLimit, 3)
  if (phase.gasCredit === undefined) vm.storeBit(0)
  else vm.storeBit(1).storeVarUint(phase.gasCredit, 2)
  storeMaybeInt32(vm.storeInt(phase.mode, 8).storeInt(phase.exitCode, 32), phase.exitArg)
    .storeUint(phase.vmSteps, 32)
    .storeBytes(phase.vmInitStateHash)
    .storeBytes(phase.vmFinalStateHash)
  builder
    .storeBit(1)
    .storeBit(phase.success)
    .storeBit(phase.msgStateUsed)
    .storeBit(phase.accountActivated)
    .storeCoins(phase.gasFees)
    .storeRef(vm.endCell())
}

function storeAction(phase: ActionPhase): Cell {
  const builder = new Builder().storeBit(phase.success).storeBit(phase.valid).storeBit(phase.noFunds)
  storeStatusChange(builder, phase.statusChange)
  storeMaybeCoins(storeMaybeCoins(builder, phase.totalFwdFees), phase.totalActionFees)
  storeMaybeInt32(builder.storeInt(phase.resultCode, 32), phase.resultArg)
    .storeUint(phase.totActions, 16)
    .storeUint(phase.specActions, 16)
    .storeUint(phase.skippedActions, 16)
    .storeUint(phase.msgsCreated, 16)
    .storeBytes(phase.actionListHash)
  return storeUsed(builder, phase.totMsgSize).endCell()
}

function storeBounce(builder: Builder, phase: BouncePhase): void {
  if (phase.type === 'negfunds') builder.storeUint(0b00, 2)
  else if (phase.type === 'nofunds')
    storeUsed(builder.storeUint(0b01, 2), phase.msgSize).storeCoins(phase.reqFwdFees)
  else storeUsed(builder.storeBit(1), phase.msgSize).storeCoins(phase.msgFees).storeCoins(phase.fwdFees)
}
