import { Builder, type Cell } from '@shardwalk/cells'
import type {
  ActionPhase,
  BouncePhase,
  ComputePhase,
  CreditPhase,
  StatusChange,
  StoragePhase,
  StorageUsed,
  TransactionDescription,
  TransactionKind,
} from '@shardwalk/model'
import { TRANSACTION_KIND } from '@shardwalk/model'
import { storeCurrencyCollection } from '@shardwalk/tlb'
import type { Random } from './random.ts'

const STATUS_CHANGES: readonly StatusChange[] = ['unchanged', 'unchanged', 'frozen', 'deleted']

/** Ordinary ones mostly, and each of the other six. */
export const randomKind = (random: Random): TransactionKind =>
  random.chance(0.5) ? 'ord' : random.pick(TRANSACTION_KIND)

/** A description of any kind whose phases are there or not by chance. */
export function randomDescription(random: Random, kind: TransactionKind): TransactionDescription {
  const aborted = random.chance(0.3)
  const destroyed = random.chance(0.1)
  const storage = () => storagePhase(random)
  const actionPhase = random.maybe(0.7, () => randomAction(random))
  const split = {
    splitInfo: {
      curShardPfxLen: random.below(64),
      accSplitDepth: random.below(64),
      thisAddr: random.hash(),
      siblingAddr: random.hash(),
    },
  }
  switch (kind) {
    case 'ord':
      return {
        ...{ kind, creditFirst: random.chance(0.5), storagePhase: random.maybe(0.8, storage) },
        creditPhase: random.maybe(0.8, () => creditPhase(random)),
        computePhase: computePhase(random),
        ...{ actionPhase, aborted, bouncePhase: random.maybe(0.3, () => bouncePhase(random)), destroyed },
      }
    case 'storage':
      return { kind, storagePhase: storage() }
    case 'tick_tock':
      return {
        ...{ kind, isTock: random.chance(0.5), storagePhase: storage() },
        ...{ computePhase: computePhase(random), actionPhase, aborted, destroyed },
      }
    case 'split_prepare':
      return {
        ...{ kind, ...split, storagePhase: random.maybe(0.5, storage) },
        ...{ computePhase: computePhase(random), actionPhase, aborted, destroyed },
      }
    case 'split_install':
      return { kind, ...split, installed: random.chance(0.5) }
    case 'merge_prepare':
      return { kind, ...split, storagePhase: storage(), aborted }
    case 'merge_install':
      return {
        ...{ kind, ...split, storagePhase: random.maybe(0.5, storage) },
        creditPhase: random.maybe(0.5, () => creditPhase(random)),
        ...{ computePhase: computePhase(random), actionPhase, aborted, destroyed },
      }
  }
}

/** `prepare`: the transaction that an installing one refers to. Source: block.tlb `TransactionDescr`. */
export function descriptionCell(description: TransactionDescription, prepare: Cell): Cell {
  const d = description
  const builder = new Builder()
  switch (d.kind) {
    case 'ord':
      storeMaybe(builder.storeUint(0, 4).storeBit(d.creditFirst!), d.storagePhase, storeStorage)
      storeCompute(storeMaybe(builder, d.creditPhase, storeCredit), d.computePhase!)
      storeMaybe(storeAction(builder, d.actionPhase).storeBit(d.aborted!), d.bouncePhase, storeBounce)
      return builder.storeBit(d.destroyed!).endCell()
    case 'storage':
      return storeStorage(builder.storeUint(1, 4), d.storagePhase!).endCell()
    case 'tick_tock':
      storeStorage(builder.storeUint(1, 3).storeBit(d.isTock!), d.storagePhase!)
      return storeEnd(builder, d)
    case 'split_prepare':
      storeMaybe(storeSplit(builder.storeUint(4, 4), d), d.storagePhase, storeStorage)
      return storeEnd(builder, d)
    case 'split_install':
      return storeSplit(builder.storeUint(5, 4), d).storeRef(prepare).storeBit(d.installed!).endCell()
    case 'merge_prepare':
      return storeStorage(storeSplit(builder.storeUint(6, 4), d), d.storagePhase!)
        .storeBit(d.aborted!)
        .endCell()
    case 'merge_install':
      storeMaybe(storeSplit(builder.storeUint(7, 4), d).storeRef(prepare), d.storagePhase, storeStorage)
      return storeEnd(storeMaybe(builder, d.creditPhase, storeCredit), d)
  }
}

const storeEnd = (builder: Builder, d: TransactionDescription): Cell =>
  storeAction(storeCompute(builder, d.computePhase!), d.actionPhase)
    .storeBit(d.aborted!)
    .storeBit(d.destroyed!)
    .endCell()

function storeMaybe<T>(
  builder: Builder,
  value: T | undefined,
  store: (builder: Builder, value: T) => Builder,
): Builder {
  builder.storeBit(value !== undefined)
  return value === undefined ? builder : store(builder, value)
}

/** block.tlb `split_merge_info$_`. */
function storeSplit(builder: Builder, { splitInfo }: TransactionDescription): Builder {
  const { curShardPfxLen, accSplitDepth, thisAddr, siblingAddr } = splitInfo!
  return builder
    .storeUint(curShardPfxLen, 6)
    .storeUint(accSplitDepth, 6)
    .storeBytes(thisAddr)
    .storeBytes(siblingAddr)
}

const storeCoins = (builder: Builder, value: bigint): Builder => builder.storeCoins(value)

const storagePhase = (random: Random): StoragePhase => ({
  storageFeesCollected: random.coins(),
  storageFeesDue: random.maybe(0.2, () => random.coins()),
  statusChange: random.pick(STATUS_CHANGES),
})

const storeStorage = (builder: Builder, phase: StoragePhase): Builder =>
  storeChange(
    storeMaybe(builder.storeCoins(phase.storageFeesCollected), phase.storageFeesDue, storeCoins),
    phase.statusChange,
  )

const storeChange = (builder: Builder, change: StatusChange): Builder =>
  change === 'unchanged' ? builder.storeBit(false) : builder.storeUint(change === 'frozen' ? 2 : 3, 2)

const creditPhase = (random: Random): CreditPhase => ({
  dueFeesCollected: random.maybe(0.2, () => random.coins()),
  credit: random.coins(),
  creditExtraCurrencies: random.currencies(0.1),
})

const storeCredit = (builder: Builder, phase: CreditPhase): Builder =>
  storeCurrencyCollection(storeMaybe(builder, phase.dueFeesCollected, storeCoins), {
    grams: phase.credit,
    ...(phase.creditExtraCurrencies && { extra: phase.creditExtraCurrencies }),
  })

const SKIPPED = ['no_state', 'bad_state', 'no_gas', 'suspended'] as const

function computePhase(random: Random): ComputePhase {
  if (random.chance(0.2)) return { skipped: true, reason: random.pick(SKIPPED) }
  return {
    skipped: false,
    success: random.chance(0.7),
    msgStateUsed: random.chance(0.1),
    accountActivated: random.chance(0.1),
    gasFees: random.coins(),
    gasUsed: random.big(48),
    gasLimit: random.big(48),
    gasCredit: random.maybe(0.3, () => random.big(24)),
    mode: random.below(256) - 128,
    exitCode: random.int32(),
    exitArg: random.maybe(0.3, () => random.int32()),
    vmSteps: random.uint32(),
    vmInitStateHash: random.chance(0.8) ? Buffer.alloc(32) : random.hash(),
    vmFinalStateHash: random.chance(0.8) ? Buffer.alloc(32) : random.hash(),
  }
}

function storeCompute(builder: Builder, phase: ComputePhase): Builder {
  if (phase.skipped) {
    builder.storeBit(false)
    return phase.reason === 'suspended'
      ? builder.storeUint(6, 3)
      : builder.storeUint(SKIPPED.indexOf(phase.reason), 2)
  }
  const vm = new Builder().storeVarUint(phase.gasUsed, 3).storeVarUint(phase.gasLimit, 3)
  storeMaybe(vm, phase.gasCredit, (to, value) => to.storeVarUint(value, 2))
  storeMaybe(vm.storeInt(phase.mode, 8).storeInt(phase.exitCode, 32), phase.exitArg, storeInt32)
  vm.storeUint(phase.vmSteps, 32).storeBytes(phase.vmInitStateHash).storeBytes(phase.vmFinalStateHash)
  return builder
    .storeBit(true)
    .storeBit(phase.success)
    .storeBit(phase.msgStateUsed)
    .storeBit(phase.accountActivated)
    .storeCoins(phase.gasFees)
    .storeRef(vm.endCell())
}

const storeInt32 = (builder: Builder, value: number): Builder => builder.storeInt(value, 32)

const storageUsed = (random: Random): StorageUsed => ({ cells: random.big(50), bits: random.big(56) })
const storeUsed = (builder: Builder, { cells, bits }: StorageUsed): Builder =>
  builder.storeVarUint(cells, 3).storeVarUint(bits, 3)

const randomAction = (random: Random): ActionPhase => ({
  success: random.chance(0.8),
  valid: random.chance(0.9),
  noFunds: random.chance(0.1),
  statusChange: random.pick(STATUS_CHANGES),
  totalFwdFees: random.maybe(0.5, () => random.coins()),
  totalActionFees: random.maybe(0.5, () => random.coins()),
  resultCode: random.int32(),
  resultArg: random.maybe(0.2, () => random.int32()),
  totActions: random.below(65536),
  specActions: random.below(65536),
  skippedActions: random.below(65536),
  msgsCreated: random.below(65536),
  actionListHash: random.hash(),
  totMsgSize: storageUsed(random),
})

function storeAction(builder: Builder, phase: ActionPhase | undefined): Builder {
  if (!phase) return builder.storeBit(false)
  const cell = new Builder().storeBit(phase.success).storeBit(phase.valid).storeBit(phase.noFunds)
  storeMaybe(storeChange(cell, phase.statusChange), phase.totalFwdFees, storeCoins)
  storeMaybe(cell, phase.totalActionFees, storeCoins).storeInt(phase.resultCode, 32)
  storeMaybe(cell, phase.resultArg, storeInt32)
  for (const count of [phase.totActions, phase.specActions, phase.skippedActions, phase.msgsCreated])
    cell.storeUint(count, 16)
  storeUsed(cell.storeBytes(phase.actionListHash), phase.totMsgSize)
  return builder.storeBit(true).storeRef(cell.endCell())
}

function bouncePhase(random: Random): BouncePhase {
  const type = random.pick(['negfunds', 'nofunds', 'ok'] as const)
  if (type === 'negfunds') return { type }
  const msgSize = storageUsed(random)
  return type === 'nofunds'
    ? { type, msgSize, reqFwdFees: random.coins() }
    : { type, msgSize, msgFees: random.coins(), fwdFees: random.coins() }
}

function storeBounce(builder: Builder, phase: BouncePhase): Builder {
  if (phase.type === 'negfunds') return builder.storeUint(0, 2)
  if (phase.type === 'nofunds')
    return storeUsed(builder.storeUint(1, 2), phase.msgSize).storeCoins(phase.reqFwdFees)
  return storeUsed(builder.storeBit(true), phase.msgSize).storeCoins(phase.msgFees).storeCoins(phase.fwdFees)
}
