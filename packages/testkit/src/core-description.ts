import type { TransactionDescription, TransactionKind } from '@shardwalk/model'
import type {
  TransactionDescription as CoreDescription,
  SplitMergeInfo,
  TransactionActionPhase,
  TransactionBouncePhase,
  TransactionComputePhase,
  TransactionCreditPhase,
  TransactionStoragePhase,
} from '@ton/core'

/**
 * Converts a description of `@ton/core` to ours. Absent fields stay absent, because `toEqual` ignores
 * undefined.
 */
export function coreDescription(d: CoreDescription): TransactionDescription {
  const split = 'splitInfo' in d ? d.splitInfo : undefined
  return withoutNothing({
    kind: KINDS[d.type],
    aborted: 'aborted' in d ? d.aborted : undefined,
    destroyed: 'destroyed' in d ? d.destroyed : undefined,
    creditFirst: 'creditFirst' in d ? d.creditFirst : undefined,
    isTock: 'isTock' in d ? d.isTock : undefined,
    installed: 'installed' in d ? d.installed : undefined,
    storagePhase: 'storagePhase' in d && d.storagePhase ? storage(d.storagePhase) : undefined,
    creditPhase: 'creditPhase' in d && d.creditPhase ? credit(d.creditPhase) : undefined,
    computePhase: 'computePhase' in d ? compute(d.computePhase) : undefined,
    actionPhase: 'actionPhase' in d && d.actionPhase ? action(d.actionPhase) : undefined,
    bouncePhase: 'bouncePhase' in d && d.bouncePhase ? bounce(d.bouncePhase) : undefined,
    splitInfo: split && splitInfo(split),
  })
}

const KINDS: Record<CoreDescription['type'], TransactionKind> = {
  generic: 'ord',
  storage: 'storage',
  'tick-tock': 'tick_tock',
  'split-prepare': 'split_prepare',
  'split-install': 'split_install',
  'merge-prepare': 'merge_prepare',
  'merge-install': 'merge_install',
}

const storage = (p: TransactionStoragePhase) =>
  withoutNothing({
    storageFeesCollected: p.storageFeesCollected,
    storageFeesDue: p.storageFeesDue ?? undefined,
    statusChange: p.statusChange,
  })

const credit = (p: TransactionCreditPhase) =>
  withoutNothing({
    dueFeesCollected: p.dueFeesColelcted ?? undefined,
    credit: p.credit.coins,
    creditExtraCurrencies:
      p.credit.other && p.credit.other.size > 0 ? new Map([...p.credit.other]) : undefined,
  })

const compute = (p: TransactionComputePhase) =>
  p.type === 'skipped'
    ? { skipped: true as const, reason: p.reason.replace('-', '_') as 'no_state' }
    : withoutNothing({
        skipped: false as const,
        success: p.success,
        msgStateUsed: p.messageStateUsed,
        accountActivated: p.accountActivated,
        gasFees: p.gasFees,
        gasUsed: p.gasUsed,
        gasLimit: p.gasLimit,
        gasCredit: p.gasCredit === null || p.gasCredit === undefined ? undefined : BigInt(p.gasCredit),
        // block.tlb `mode:int8`; @ton/core reads it unsigned.
        mode: (p.mode << 24) >> 24,
        exitCode: p.exitCode,
        exitArg: p.exitArg ?? undefined,
        vmSteps: p.vmSteps,
        vmInitStateHash: bytes(p.vmInitStateHash),
        vmFinalStateHash: bytes(p.vmFinalStateHash),
      })

const action = (p: TransactionActionPhase) =>
  withoutNothing({
    success: p.success,
    valid: p.valid,
    noFunds: p.noFunds,
    statusChange: p.statusChange,
    totalFwdFees: p.totalFwdFees ?? undefined,
    totalActionFees: p.totalActionFees ?? undefined,
    resultCode: p.resultCode,
    resultArg: p.resultArg ?? undefined,
    totActions: p.totalActions,
    specActions: p.specActions,
    skippedActions: p.skippedActions,
    msgsCreated: p.messagesCreated,
    actionListHash: bytes(p.actionListHash),
    totMsgSize: { cells: BigInt(p.totalMessageSize.cells), bits: BigInt(p.totalMessageSize.bits) },
  })

function bounce(p: TransactionBouncePhase): TransactionDescription['bouncePhase'] {
  if (p.type === 'negative-funds') return { type: 'negfunds' }
  const msgSize = { cells: BigInt(p.messageSize.cells), bits: BigInt(p.messageSize.bits) }
  if (p.type === 'no-funds') return { type: 'nofunds', msgSize, reqFwdFees: p.requiredForwardFees }
  return { type: 'ok', msgSize, msgFees: p.messageFees, fwdFees: p.forwardFees }
}

const splitInfo = (info: SplitMergeInfo) => ({
  curShardPfxLen: info.currentShardPrefixLength,
  accSplitDepth: info.accountSplitDepth,
  thisAddr: bytes(info.thisAddress),
  siblingAddr: bytes(info.siblingAddress),
})

const bytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')

function withoutNothing<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}
