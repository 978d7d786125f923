import type { Slice } from '@shardwalk/cells'
import { type ActionPhase, DecodeError, type TransactionDescription } from '@shardwalk/model'
import {
  loadActionPhase,
  loadBouncePhase,
  loadComputePhase,
  loadCreditPhase,
  loadSplitMergeInfo,
  loadStoragePhase,
} from './phases.ts'

/**
 * block.tlb `TransactionDescr`, seven kinds by their prefix. Throws DecodeError on unknown tags and on
 * left-overs.
 */
export function loadDescription(slice: Slice): TransactionDescription {
  const tag = slice.loadUint(4)
  const description = LOADERS[tag]?.(slice)
  if (description === undefined)
    throw new DecodeError('transaction_descr', `unknown tag ${tag.toString(2).padStart(4, '0')}`)
  slice.expectEnd('transaction_descr')
  return description
}

const LOADERS: readonly ((slice: Slice) => TransactionDescription)[] = [
  loadOrdinary,
  (slice) => ({ kind: 'storage', storagePhase: loadStoragePhase(slice) }),
  (slice) => loadTickTock(slice, false),
  (slice) => loadTickTock(slice, true),
  loadSplitPrepare,
  loadSplitInstall,
  loadMergePrepare,
  loadMergeInstall,
]

function loadOrdinary(slice: Slice): TransactionDescription {
  return {
    kind: 'ord',
    creditFirst: slice.loadBit(),
    storagePhase: maybe(slice, loadStoragePhase),
    creditPhase: maybe(slice, loadCreditPhase),
    computePhase: loadComputePhase(slice),
    actionPhase: loadMaybeAction(slice),
    aborted: slice.loadBit(),
    bouncePhase: maybe(slice, loadBouncePhase),
    destroyed: slice.loadBit(),
  }
}

function loadTickTock(slice: Slice, isTock: boolean): TransactionDescription {
  return {
    kind: 'tick_tock',
    isTock,
    storagePhase: loadStoragePhase(slice),
    computePhase: loadComputePhase(slice),
    actionPhase: loadMaybeAction(slice),
    aborted: slice.loadBit(),
    destroyed: slice.loadBit(),
  }
}

function loadSplitPrepare(slice: Slice): TransactionDescription {
  return {
    kind: 'split_prepare',
    splitInfo: loadSplitMergeInfo(slice),
    storagePhase: maybe(slice, loadStoragePhase),
    computePhase: loadComputePhase(slice),
    actionPhase: loadMaybeAction(slice),
    aborted: slice.loadBit(),
    destroyed: slice.loadBit(),
  }
}

/** `prepare_transaction:^Transaction` is passed over: it is a transaction of its own elsewhere. */
function loadSplitInstall(slice: Slice): TransactionDescription {
  const splitInfo = loadSplitMergeInfo(slice)
  slice.skipRefs(1)
  return { kind: 'split_install', splitInfo, installed: slice.loadBit() }
}

function loadMergePrepare(slice: Slice): TransactionDescription {
  return {
    kind: 'merge_prepare',
    splitInfo: loadSplitMergeInfo(slice),
    storagePhase: loadStoragePhase(slice),
    aborted: slice.loadBit(),
  }
}

function loadMergeInstall(slice: Slice): TransactionDescription {
  const splitInfo = loadSplitMergeInfo(slice)
  slice.skipRefs(1)
  return {
    kind: 'merge_install',
    splitInfo,
    storagePhase: maybe(slice, loadStoragePhase),
    creditPhase: maybe(slice, loadCreditPhase),
    computePhase: loadComputePhase(slice),
    actionPhase: loadMaybeAction(slice),
    aborted: slice.loadBit(),
    destroyed: slice.loadBit(),
  }
}

const maybe = <T>(slice: Slice, load: (slice: Slice) => T): T | undefined =>
  slice.loadBit() ? load(slice) : undefined

function loadMaybeAction(slice: Slice): ActionPhase | undefined {
  const phase = slice.loadMaybeRefSlice()
  return phase && loadActionPhase(phase)
}
