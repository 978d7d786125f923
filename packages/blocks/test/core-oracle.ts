import {
  type DecodedMessage,
  type DecodedTransaction,
  formatRawAddress,
  type RawAddress,
  type TransactionDescription,
} from '@shardwalk/model'
import {
  type Address,
  Cell as CoreCell,
  type CurrencyCollection,
  type Message,
  type Transaction,
  type TransactionComputePhase,
} from '@ton/core'
import { expect } from 'vitest'
import { hex } from './fixtures.ts'

/** Every cell of a block as @ton/core holds it, by hash. */
export function coreCells(bytes: Buffer): ReadonlyMap<string, CoreCell> {
  const cells = new Map<string, CoreCell>()
  const pending = [CoreCell.fromBoc(bytes)[0]!]
  for (let cell = pending.pop(); cell !== undefined; cell = pending.pop()) {
    const key = hex(cell.hash())
    if (cells.has(key)) continue
    cells.set(key, cell)
    pending.push(...cell.refs)
  }
  return cells
}

const toHex = (value: bigint) => value.toString(16).padStart(64, '0')
const address = (value: RawAddress | undefined) => value && formatRawAddress(value).toLowerCase()
const coreAddress = (value: Address | null | undefined) => value?.toRawString().toLowerCase()
const extra = (value: CurrencyCollection) =>
  value.other && value.other.size > 0 ? new Map(value.other) : undefined
const STATUS = {
  uninitialized: 'uninit',
  frozen: 'frozen',
  active: 'active',
  'non-existing': 'nonexist',
} as const

function expectMessage(found: DecodedMessage, wanted: Message): void {
  expect(hex(found.bodyHash)).toBe(hex(wanted.body.hash()))
  const info = wanted.info
  if (info.type === 'internal') {
    expect([address(found.source), address(found.destination)]).toEqual([
      coreAddress(info.src),
      coreAddress(info.dest),
    ])
    expect([found.value, found.fwdFee, found.ihrFeeOrExtraFlags]).toEqual([
      info.value.coins,
      info.forwardFee,
      info.ihrFee,
    ])
    expect([found.createdLt, found.createdAt]).toEqual([info.createdLt, info.createdAt])
    expect([found.bounce, found.bounced, found.ihrDisabled]).toEqual([
      info.bounce,
      info.bounced,
      info.ihrDisabled,
    ])
    expect(found.valueExtraCurrencies).toEqual(extra(info.value))
  } else if (info.type === 'external-in') {
    expect([address(found.destination), found.importFee]).toEqual([coreAddress(info.dest), info.importFee])
  } else {
    expect([address(found.source), found.createdLt]).toEqual([coreAddress(info.src), info.createdLt])
    expect(found.externalDestination?.bits).toBe(info.dest?.bits)
    if (info.dest)
      expect(BigInt(`0x0${hex(found.externalDestination!.bytes)}`) >> BigInt(-info.dest.bits & 7)).toBe(
        info.dest.value,
      )
  }
}

function compute(phase: TransactionComputePhase) {
  if (phase.type === 'skipped') return { skipped: true, reason: phase.reason.replace('-', '_') }
  const {
    success,
    messageStateUsed,
    accountActivated,
    gasFees,
    gasUsed,
    gasLimit,
    gasCredit,
    mode,
    exitCode,
    exitArg,
    vmSteps,
  } = phase
  return {
    skipped: false,
    ...{
      success,
      msgStateUsed: messageStateUsed,
      accountActivated,
      gasFees,
      gasUsed,
      gasLimit,
      // block.tlb `mode:int8`; @ton/core reads it unsigned.
      mode: (mode << 24) >> 24,
      exitCode,
      vmSteps,
    },
    gasCredit: gasCredit === undefined || gasCredit === null ? undefined : BigInt(gasCredit),
    exitArg: exitArg ?? undefined,
    vmInitStateHash: Buffer.from(toHex(phase.vmInitStateHash), 'hex'),
    vmFinalStateHash: Buffer.from(toHex(phase.vmFinalStateHash), 'hex'),
  }
}

const KINDS = {
  generic: 'ord',
  storage: 'storage',
  'tick-tock': 'tick_tock',
  'split-prepare': 'split_prepare',
  'split-install': 'split_install',
} as const

function expectDescription(found: TransactionDescription, wanted: Transaction['description']): void {
  if (wanted.type === 'merge-prepare' || wanted.type === 'merge-install')
    throw new Error('@ton/core does not read merges')
  expect(found.kind).toBe(KINDS[wanted.type])
  if (wanted.type === 'split-prepare' || wanted.type === 'split-install') expectSplitInfo(found, wanted)
  if (wanted.type === 'split-install') expect(found.installed).toBe(wanted.installed)
  else expectPhases(found, wanted)
}

type Described<T extends Transaction['description']['type']> = Extract<
  Transaction['description'],
  { readonly type: T }
>

function expectSplitInfo(
  { splitInfo }: TransactionDescription,
  { splitInfo: wanted }: Described<'split-prepare' | 'split-install'>,
): void {
  expect([splitInfo?.curShardPfxLen, splitInfo?.accSplitDepth]).toEqual([
    wanted.currentShardPrefixLength,
    wanted.accountSplitDepth,
  ])
  expect([hex(splitInfo!.thisAddr), hex(splitInfo!.siblingAddr)]).toEqual([
    toHex(wanted.thisAddress),
    toHex(wanted.siblingAddress),
  ])
}

function expectPhases(
  found: TransactionDescription,
  wanted: Described<'generic' | 'storage' | 'tick-tock' | 'split-prepare'>,
): void {
  const storage = wanted.storagePhase
  expect(found.storagePhase?.storageFeesCollected).toBe(storage?.storageFeesCollected)
  expect(found.storagePhase?.storageFeesDue ?? null).toBe(storage?.storageFeesDue ?? null)
  expect(found.storagePhase?.statusChange).toBe(storage?.statusChange)
  if (wanted.type === 'storage') return
  expect([found.aborted, found.destroyed]).toEqual([wanted.aborted, wanted.destroyed])
  expect(found.computePhase).toEqual(compute(wanted.computePhase))
  const action = wanted.actionPhase
  expect(found.actionPhase === undefined).toBe(action === undefined || action === null)
  if (action)
    expect(found.actionPhase).toMatchObject({
      success: action.success,
      valid: action.valid,
      noFunds: action.noFunds,
      statusChange: action.statusChange,
      totalFwdFees: action.totalFwdFees ?? undefined,
      totalActionFees: action.totalActionFees ?? undefined,
      resultCode: action.resultCode,
      resultArg: action.resultArg ?? undefined,
      totActions: action.totalActions,
      specActions: action.specActions,
      skippedActions: action.skippedActions,
      msgsCreated: action.messagesCreated,
      actionListHash: Buffer.from(toHex(action.actionListHash), 'hex'),
      totMsgSize: { cells: action.totalMessageSize.cells, bits: action.totalMessageSize.bits },
    })
  if (wanted.type === 'tick-tock') expect(found.isTock).toBe(wanted.isTock)
  if (wanted.type !== 'generic') return
  expect(found.creditFirst).toBe(wanted.creditFirst)
  expect(found.creditPhase?.credit).toBe(wanted.creditPhase?.credit.coins)
  expect(found.creditPhase?.dueFeesCollected ?? null).toBe(wanted.creditPhase?.dueFeesColelcted ?? null)
  const bounce = wanted.bouncePhase
  const type = bounce
    ? { 'negative-funds': 'negfunds', 'no-funds': 'nofunds', ok: 'ok' }[bounce.type]
    : undefined
  expect(found.bouncePhase?.type).toBe(type)
  if (bounce?.type === 'ok')
    expect(found.bouncePhase).toMatchObject({ msgFees: bounce.messageFees, fwdFees: bounce.forwardFees })
}

export function expectTransaction(found: DecodedTransaction, wanted: Transaction): void {
  expect(hex(found.account.hash)).toBe(toHex(wanted.address))
  expect([found.lt, found.now, found.prevTransLt]).toEqual([wanted.lt, wanted.now, wanted.prevTransactionLt])
  expect(hex(found.prevTransHash)).toBe(toHex(wanted.prevTransactionHash))
  expect([found.origStatus, found.endStatus]).toEqual([STATUS[wanted.oldStatus], STATUS[wanted.endStatus]])
  expect([found.totalFees, found.totalFeesExtraCurrencies]).toEqual([
    wanted.totalFees.coins,
    extra(wanted.totalFees),
  ])
  expect([hex(found.stateHashBefore), hex(found.stateHashAfter)]).toEqual([
    hex(wanted.stateUpdate.oldHash),
    hex(wanted.stateUpdate.newHash),
  ])
  expectDescription(found.description, wanted.description)
  expect(found.inMsg === undefined).toBe(!wanted.inMessage)
  if (found.inMsg) expectMessage(found.inMsg, wanted.inMessage!)
  expect(found.outMsgs.length).toBe(wanted.outMessagesCount)
  for (const [i, message] of found.outMsgs.entries()) expectMessage(message, wanted.outMessages.get(i)!)
}
