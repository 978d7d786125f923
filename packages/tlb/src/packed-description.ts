import {
  type ActionPhase,
  type BouncePhase,
  type ComputePhase,
  type CreditPhase,
  DecodeError,
  type ExtraCurrencies,
  type StatusChange,
  type StoragePhase,
  type StorageUsed,
  TRANSACTION_KIND,
  type TransactionDescription,
  type TransactionKind,
} from '@shardwalk/model'
import { ByteReader, ByteWriter } from './byte-codec.ts'
import { NO_ACTIONS, NO_HASH } from './phases.ts'

/**
 * Stored form of a transaction description: one word of flags, then only what is present, integers of
 * variable length. Bit positions of the word; a skipped compute phase uses the four bits after `skipped` for
 * its reason.
 */
export const DESCRIPTION_BIT = {
  aborted: 3,
  destroyed: 4,
  /** creditFirst, isTock or installed, as the kind has it. */
  special: 5,
  storage: 6,
  storageStatus: 7,
  storageDue: 9,
  credit: 10,
  creditDue: 11,
  creditExtra: 12,
  compute: 13,
  skipped: 14,
  skipReason: 15,
  success: 15,
  msgStateUsed: 16,
  accountActivated: 17,
  gasCredit: 18,
  exitArg: 19,
  vmHashes: 20,
  action: 21,
  actionSuccess: 22,
  actionValid: 23,
  noFunds: 24,
  actionStatus: 25,
  fwdFees: 27,
  actionFees: 28,
  resultArg: 29,
  actionListHash: 30,
  bounce: 31,
} as const
const BIT = DESCRIPTION_BIT

const STATUS_CHANGE: readonly StatusChange[] = ['unchanged', 'frozen', 'deleted']
/** By the two bits from `skipReason` on. */
export const SKIP_REASON = ['no_state', 'bad_state', 'no_gas', 'suspended'] as const
/** By the first byte of a bounce phase. */
export const BOUNCE_TYPE = ['negfunds', 'nofunds', 'ok'] as const

const SPECIAL_FIELD: Partial<Record<TransactionKind, 'creditFirst' | 'isTock' | 'installed'>> = {
  ord: 'creditFirst',
  tick_tock: 'isTock',
  split_install: 'installed',
}
const WITHOUT_ABORTED: readonly TransactionKind[] = ['storage', 'split_install']
const WITHOUT_DESTROYED: readonly TransactionKind[] = ['storage', 'split_install', 'merge_prepare']
const WITH_SPLIT_INFO: readonly TransactionKind[] = [
  'split_prepare',
  'split_install',
  'merge_prepare',
  'merge_install',
]

/**
 * Packs a description; `unpackDescription` gives back an equal one. An ordinary transaction takes 20 to 70
 * bytes.
 */
export function packDescription(description: TransactionDescription): Buffer {
  const { storagePhase, creditPhase, computePhase, actionPhase, bouncePhase, splitInfo } = description
  const out = new ByteWriter()
  out.uint32(flagsOf(description))
  if (storagePhase) packStorage(out, storagePhase)
  if (creditPhase) packCredit(out, creditPhase)
  if (computePhase) packCompute(out, computePhase)
  if (actionPhase) packAction(out, actionPhase)
  if (bouncePhase) packBounce(out, bouncePhase)
  if (splitInfo) {
    out.byte(splitInfo.curShardPfxLen)
    out.byte(splitInfo.accSplitDepth)
    out.bytes(splitInfo.thisAddr)
    out.bytes(splitInfo.siblingAddr)
  }
  return out.finish()
}

/** Reads what `packDescription` wrote. Throws DecodeError. */
export function unpackDescription(bytes: Uint8Array): TransactionDescription {
  const input = new ByteReader(bytes, 'packed_description')
  const flags = input.uint32()
  const has = (bit: number) => ((flags >>> bit) & 1) === 1
  const kind = TRANSACTION_KIND[flags & 7]
  if (kind === undefined) throw new DecodeError('packed_description.kind', `unknown ${flags & 7}`)
  const special = SPECIAL_FIELD[kind]
  const description: TransactionDescription = {
    kind,
    ...(special && { [special]: has(BIT.special) }),
    ...(has(BIT.storage) && { storagePhase: unpackStorage(input, flags) }),
    ...(has(BIT.credit) && { creditPhase: unpackCredit(input, flags) }),
    ...(has(BIT.compute) && { computePhase: unpackCompute(input, flags) }),
    ...(has(BIT.action) && { actionPhase: unpackAction(input, flags) }),
    ...(!WITHOUT_ABORTED.includes(kind) && { aborted: has(BIT.aborted) }),
    ...(has(BIT.bounce) && { bouncePhase: unpackBounce(input) }),
    ...(!WITHOUT_DESTROYED.includes(kind) && { destroyed: has(BIT.destroyed) }),
    ...(WITH_SPLIT_INFO.includes(kind) && { splitInfo: unpackSplitInfo(input) }),
  }
  input.expectEnd()
  return description
}

function flagsOf(description: TransactionDescription): number {
  const { kind, storagePhase, creditPhase, computePhase, actionPhase, bouncePhase } = description
  const special = SPECIAL_FIELD[kind]
  let flags = TRANSACTION_KIND.indexOf(kind)
  const set = (bit: number, on: unknown) => {
    if (on) flags |= 1 << bit
  }
  set(BIT.aborted, description.aborted)
  set(BIT.destroyed, description.destroyed)
  set(BIT.special, special && description[special])
  if (storagePhase) {
    set(BIT.storage, true)
    set(BIT.storageDue, storagePhase.storageFeesDue !== undefined)
    flags |= STATUS_CHANGE.indexOf(storagePhase.statusChange) << BIT.storageStatus
  }
  if (creditPhase) {
    set(BIT.credit, true)
    set(BIT.creditDue, creditPhase.dueFeesCollected !== undefined)
    set(BIT.creditExtra, creditPhase.creditExtraCurrencies !== undefined)
  }
  if (computePhase) flags |= computeFlags(computePhase)
  if (actionPhase) flags |= actionFlags(actionPhase)
  set(BIT.bounce, bouncePhase)
  return flags
}

function computeFlags(phase: ComputePhase): number {
  const flags = 1 << BIT.compute
  if (phase.skipped) return flags | (1 << BIT.skipped) | (SKIP_REASON.indexOf(phase.reason) << BIT.skipReason)
  const zeroHashes = phase.vmInitStateHash.equals(NO_HASH) && phase.vmFinalStateHash.equals(NO_HASH)
  return (
    flags |
    (Number(phase.success) << BIT.success) |
    (Number(phase.msgStateUsed) << BIT.msgStateUsed) |
    (Number(phase.accountActivated) << BIT.accountActivated) |
    (Number(phase.gasCredit !== undefined) << BIT.gasCredit) |
    (Number(phase.exitArg !== undefined) << BIT.exitArg) |
    (Number(!zeroHashes) << BIT.vmHashes)
  )
}

function actionFlags(phase: ActionPhase): number {
  return (
    (1 << BIT.action) |
    (Number(phase.success) << BIT.actionSuccess) |
    (Number(phase.valid) << BIT.actionValid) |
    (Number(phase.noFunds) << BIT.noFunds) |
    (STATUS_CHANGE.indexOf(phase.statusChange) << BIT.actionStatus) |
    (Number(phase.totalFwdFees !== undefined) << BIT.fwdFees) |
    (Number(phase.totalActionFees !== undefined) << BIT.actionFees) |
    (Number(phase.resultArg !== undefined) << BIT.resultArg) |
    (Number(!phase.actionListHash.equals(NO_ACTIONS)) << BIT.actionListHash)
  )
}

function packStorage(out: ByteWriter, phase: StoragePhase): void {
  out.varbig(phase.storageFeesCollected)
  if (phase.storageFeesDue !== undefined) out.varbig(phase.storageFeesDue)
}

function unpackStorage(input: ByteReader, flags: number): StoragePhase {
  const storageFeesCollected = input.varbig()
  const storageFeesDue = flags & (1 << BIT.storageDue) ? input.varbig() : undefined
  const statusChange = statusAt(flags, BIT.storageStatus)
  return { storageFeesCollected, ...(storageFeesDue !== undefined && { storageFeesDue }), statusChange }
}

function packCredit(out: ByteWriter, phase: CreditPhase): void {
  if (phase.dueFeesCollected !== undefined) out.varbig(phase.dueFeesCollected)
  out.varbig(phase.credit)
  if (phase.creditExtraCurrencies) packCurrencies(out, phase.creditExtraCurrencies)
}

function unpackCredit(input: ByteReader, flags: number): CreditPhase {
  const dueFeesCollected = flags & (1 << BIT.creditDue) ? input.varbig() : undefined
  const credit = input.varbig()
  const creditExtraCurrencies = flags & (1 << BIT.creditExtra) ? unpackCurrencies(input) : undefined
  return {
    ...(dueFeesCollected !== undefined && { dueFeesCollected }),
    credit,
    ...(creditExtraCurrencies && { creditExtraCurrencies }),
  }
}

function packCompute(out: ByteWriter, phase: ComputePhase): void {
  if (phase.skipped) return
  out.varbig(phase.gasFees)
  out.varbig(phase.gasUsed)
  out.varbig(phase.gasLimit)
  if (phase.gasCredit !== undefined) out.varbig(phase.gasCredit)
  out.zigzag(phase.mode)
  out.zigzag(phase.exitCode)
  if (phase.exitArg !== undefined) out.zigzag(phase.exitArg)
  out.varint(phase.vmSteps)
  if ((computeFlags(phase) & (1 << BIT.vmHashes)) === 0) return
  out.bytes(phase.vmInitStateHash)
  out.bytes(phase.vmFinalStateHash)
}

function unpackCompute(input: ByteReader, flags: number): ComputePhase {
  const has = (bit: number) => ((flags >>> bit) & 1) === 1
  if (has(BIT.skipped)) return { skipped: true, reason: SKIP_REASON[(flags >>> BIT.skipReason) & 3]! }
  const gas = { gasFees: input.varbig(), gasUsed: input.varbig(), gasLimit: input.varbig() }
  const gasCredit = has(BIT.gasCredit) ? input.varbig() : undefined
  const mode = input.zigzag()
  const exitCode = input.zigzag()
  const exitArg = has(BIT.exitArg) ? input.zigzag() : undefined
  return {
    skipped: false,
    success: has(BIT.success),
    msgStateUsed: has(BIT.msgStateUsed),
    accountActivated: has(BIT.accountActivated),
    ...gas,
    ...(gasCredit !== undefined && { gasCredit }),
    mode,
    exitCode,
    ...(exitArg !== undefined && { exitArg }),
    vmSteps: input.varint(),
    vmInitStateHash: has(BIT.vmHashes) ? input.bytes(32) : NO_HASH,
    vmFinalStateHash: has(BIT.vmHashes) ? input.bytes(32) : NO_HASH,
  }
}

function packAction(out: ByteWriter, phase: ActionPhase): void {
  if (phase.totalFwdFees !== undefined) out.varbig(phase.totalFwdFees)
  if (phase.totalActionFees !== undefined) out.varbig(phase.totalActionFees)
  out.zigzag(phase.resultCode)
  if (phase.resultArg !== undefined) out.zigzag(phase.resultArg)
  out.varint(phase.totActions)
  out.varint(phase.specActions)
  out.varint(phase.skippedActions)
  out.varint(phase.msgsCreated)
  if (!phase.actionListHash.equals(NO_ACTIONS)) out.bytes(phase.actionListHash)
  packStorageUsed(out, phase.totMsgSize)
}

function unpackAction(input: ByteReader, flags: number): ActionPhase {
  const has = (bit: number) => ((flags >>> bit) & 1) === 1
  const totalFwdFees = has(BIT.fwdFees) ? input.varbig() : undefined
  const totalActionFees = has(BIT.actionFees) ? input.varbig() : undefined
  const resultCode = input.zigzag()
  const resultArg = has(BIT.resultArg) ? input.zigzag() : undefined
  return {
    success: has(BIT.actionSuccess),
    valid: has(BIT.actionValid),
    noFunds: has(BIT.noFunds),
    statusChange: statusAt(flags, BIT.actionStatus),
    ...(totalFwdFees !== undefined && { totalFwdFees }),
    ...(totalActionFees !== undefined && { totalActionFees }),
    resultCode,
    ...(resultArg !== undefined && { resultArg }),
    totActions: input.varint(),
    specActions: input.varint(),
    skippedActions: input.varint(),
    msgsCreated: input.varint(),
    actionListHash: has(BIT.actionListHash) ? input.bytes(32) : NO_ACTIONS,
    totMsgSize: unpackStorageUsed(input),
  }
}

function packBounce(out: ByteWriter, phase: BouncePhase): void {
  out.byte(BOUNCE_TYPE.indexOf(phase.type))
  if (phase.type === 'negfunds') return
  packStorageUsed(out, phase.msgSize)
  if (phase.type === 'nofunds') {
    out.varbig(phase.reqFwdFees)
    return
  }
  out.varbig(phase.msgFees)
  out.varbig(phase.fwdFees)
}

function unpackBounce(input: ByteReader): BouncePhase {
  const type = BOUNCE_TYPE[input.byte()]
  if (type === undefined) throw new DecodeError('packed_description.bounce', 'unknown type')
  if (type === 'negfunds') return { type }
  const msgSize = unpackStorageUsed(input)
  if (type === 'nofunds') return { type, msgSize, reqFwdFees: input.varbig() }
  return { type, msgSize, msgFees: input.varbig(), fwdFees: input.varbig() }
}

function unpackSplitInfo(input: ByteReader) {
  return {
    curShardPfxLen: input.byte(),
    accSplitDepth: input.byte(),
    thisAddr: input.bytes(32),
    siblingAddr: input.bytes(32),
  }
}

function packStorageUsed(out: ByteWriter, used: StorageUsed): void {
  out.varbig(used.cells)
  out.varbig(used.bits)
}

const unpackStorageUsed = (input: ByteReader): StorageUsed => ({
  cells: input.varbig(),
  bits: input.varbig(),
})

function packCurrencies(out: ByteWriter, currencies: ExtraCurrencies): void {
  out.varint(currencies.size)
  for (const [id, amount] of currencies) {
    out.varint(id)
    out.varbig(amount)
  }
}

function unpackCurrencies(input: ByteReader): ExtraCurrencies {
  const currencies = new Map<number, bigint>()
  for (let left = input.varint(); left > 0; left--) currencies.set(input.varint(), input.varbig())
  return currencies
}

function statusAt(flags: number, bit: number): StatusChange {
  const status = STATUS_CHANGE[(flags >>> bit) & 3]
  if (status === undefined) throw new DecodeError('packed_description.status_change', 'unknown value 3')
  return status
}
