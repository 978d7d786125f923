import { EMPTY_CELL, type Slice } from '@shardwalk/cells'
import {
  type ActionPhase,
  type BouncePhase,
  type ComputePhase,
  type CreditPhase,
  DecodeError,
  type SplitMergeInfo,
  type StatusChange,
  type StoragePhase,
  type StorageUsed,
} from '@shardwalk/model'
import { loadCurrencyCollection } from './currency.ts'

/** Nodes write zero for both VM state hashes, and the empty cell's hash where a transaction sent nothing. */
export const NO_HASH = Buffer.alloc(32)
/** Hash of the list of actions of a transaction that sent nothing: that of the empty cell. */
export const NO_ACTIONS = EMPTY_CELL.hash()

/** 32 bytes, sharing one buffer for the usual value. */
function loadHashOr(slice: Slice, usual: Buffer): Buffer {
  if (!slice.startsWith(usual)) return slice.loadBytes(32)
  slice.skip(256)
  return usual
}

/** block.tlb `tr_phase_storage$_`. */
export function loadStoragePhase(slice: Slice): StoragePhase {
  return {
    storageFeesCollected: slice.loadCoins(),
    storageFeesDue: loadMaybeCoins(slice),
    statusChange: loadStatusChange(slice),
  }
}

/** block.tlb `tr_phase_credit$_`. */
export function loadCreditPhase(slice: Slice): CreditPhase {
  const dueFeesCollected = loadMaybeCoins(slice)
  const { grams, extra } = loadCurrencyCollection(slice)
  return { dueFeesCollected, credit: grams, creditExtraCurrencies: extra }
}

/** block.tlb `tr_phase_compute_skipped$0`, `tr_phase_compute_vm$1`. */
export function loadComputePhase(slice: Slice): ComputePhase {
  if (!slice.loadBit()) return { skipped: true, reason: loadSkipReason(slice) }
  const success = slice.loadBit()
  const msgStateUsed = slice.loadBit()
  const accountActivated = slice.loadBit()
  const gasFees = slice.loadCoins()
  const vm = slice.loadRefSlice()
  return {
    skipped: false,
    success,
    msgStateUsed,
    accountActivated,
    gasFees,
    gasUsed: vm.loadVarUint(3),
    gasLimit: vm.loadVarUint(3),
    gasCredit: vm.loadBit() ? vm.loadVarUint(2) : undefined,
    mode: vm.loadInt(8),
    exitCode: vm.loadInt(32),
    exitArg: loadMaybeInt32(vm),
    vmSteps: vm.loadUint(32),
    vmInitStateHash: loadHashOr(vm, NO_HASH),
    vmFinalStateHash: loadHashOr(vm, NO_HASH),
  }
}

/** block.tlb `cskip_no_state$00`, `cskip_bad_state$01`, `cskip_no_gas$10`, `cskip_suspended$110`. */
function loadSkipReason(slice: Slice): 'no_state' | 'bad_state' | 'no_gas' | 'suspended' {
  switch (slice.loadUint(2)) {
    case 0:
      return 'no_state'
    case 1:
      return 'bad_state'
    case 2:
      return 'no_gas'
    default:
      if (slice.loadBit()) throw new DecodeError('compute_skip_reason', 'unknown tag 111')
      return 'suspended'
  }
}

/** block.tlb `tr_phase_action$_`. */
export function loadActionPhase(slice: Slice): ActionPhase {
  return {
    success: slice.loadBit(),
    valid: slice.loadBit(),
    noFunds: slice.loadBit(),
    statusChange: loadStatusChange(slice),
    totalFwdFees: loadMaybeCoins(slice),
    totalActionFees: loadMaybeCoins(slice),
    resultCode: slice.loadInt(32),
    resultArg: loadMaybeInt32(slice),
    totActions: slice.loadUint(16),
    specActions: slice.loadUint(16),
    skippedActions: slice.loadUint(16),
    msgsCreated: slice.loadUint(16),
    actionListHash: loadHashOr(slice, NO_ACTIONS),
    totMsgSize: loadStorageUsed(slice),
  }
}

/** block.tlb `tr_phase_bounce_negfunds$00`, `tr_phase_bounce_nofunds$01`, `tr_phase_bounce_ok$1`. */
export function loadBouncePhase(slice: Slice): BouncePhase {
  if (slice.loadBit())
    return {
      type: 'ok',
      msgSize: loadStorageUsed(slice),
      msgFees: slice.loadCoins(),
      fwdFees: slice.loadCoins(),
    }
  if (!slice.loadBit()) return { type: 'negfunds' }
  return { type: 'nofunds', msgSize: loadStorageUsed(slice), reqFwdFees: slice.loadCoins() }
}

/** block.tlb `storage_used$_ cells:(VarUInteger 7) bits:(VarUInteger 7)`. */
export function loadStorageUsed(slice: Slice): StorageUsed {
  return { cells: slice.loadVarUint(3), bits: slice.loadVarUint(3) }
}

/** block.tlb `split_merge_info$_`. */
export function loadSplitMergeInfo(slice: Slice): SplitMergeInfo {
  return {
    curShardPfxLen: slice.loadUint(6),
    accSplitDepth: slice.loadUint(6),
    thisAddr: slice.loadBytes(32),
    siblingAddr: slice.loadBytes(32),
  }
}

/** block.tlb `acst_unchanged$0`, `acst_frozen$10`, `acst_deleted$11`. */
function loadStatusChange(slice: Slice): StatusChange {
  if (!slice.loadBit()) return 'unchanged'
  return slice.loadBit() ? 'deleted' : 'frozen'
}

/** block.tlb `Maybe Grams`, in nanotons. */
export const loadMaybeCoins = (slice: Slice): bigint | undefined =>
  slice.loadBit() ? slice.loadCoins() : undefined

const loadMaybeInt32 = (slice: Slice): number | undefined => (slice.loadBit() ? slice.loadInt(32) : undefined)
