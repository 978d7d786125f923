import {
  type DecodedMessage,
  type DecodedTransaction,
  formatRawAddress,
  type RawAddress,
  type TransactionDescription,
} from '@shardwalk/model'
import { expectSame } from '@shardwalk/testkit/expect-same'
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
  expectSame(hex(found.bodyHash), hex(wanted.body.hash()))
  const info = wanted.info
  if (info.type === 'internal') {
    expectSame(
      [address(found.source), address(found.destination)],
      [coreAddress(info.src), coreAddress(info.dest)],
    )
    expectSame(
      [found.value, found.fwdFee, found.ihrFeeOrExtraFlags],
      [info.value.coins, info.forwardFee, info.ihrFee],
    )
    expectSame([found.createdLt, found.createdAt], [info.createdLt, info.createdAt])
    expectSame(
      [found.bounce, found.bounced, found.ihrDisabled],
      [info.bounce, info.bounced, info.ihrDisabled],
    )
    expectSame(found.valueExtraCurrencies, extra(info.value))
  } else if (info.type === 'external-in') {
    expectSame([address(found.destination), found.importFee], [coreAddress(info.dest), info.importFee])
  } else {
    expectSame([address(found.source), found.createdLt], [coreAddress(info.src), info.createdLt])
    expectSame(found.externalDestination?.bits, info.dest?.bits)
    if (info.dest)
      expectSame(
        BigInt(`0x0${hex(found.externalDestination!.bytes)}`) >> BigInt(-info.dest.bits & 7),
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
  expectSame(found.kind, KINDS[wanted.type])
  if (wanted.type === 'split-prepare' || wanted.type === 'split-install') expectSplitInfo(found, wanted)
  if (wanted.type === 'split-install') expectSame(found.installed, wanted.installed)
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
  expectSame(
    [splitInfo?.curShardPfxLen, splitInfo?.accSplitDepth],
    [wanted.currentShardPrefixLength, wanted.accountSplitDepth],
  )
  expectSame(
    [hex(splitInfo!.thisAddr), hex(splitInfo!.siblingAddr)],
    [toHex(wanted.thisAddress), toHex(wanted.siblingAddress)],
  )
}

function expectPhases(
  found: TransactionDescription,
  wanted: Described<'generic' | 'storage' | 'tick-tock' | 'split-prepare'>,
): void {
  const storage = wanted.storagePhase
  expectSame(found.storagePhase?.storageFeesCollected, storage?.storageFeesCollected)
  expectSame(found.storagePhase?.storageFeesDue ?? null, storage?.storageFeesDue ?? null)
  expectSame(found.storagePhase?.statusChange, storage?.statusChange)
  if (wanted.type === 'storage') return
  expectSame([found.aborted, found.destroyed], [wanted.aborted, wanted.destroyed])
  expectSame(found.computePhase, compute(wanted.computePhase))
  const action = wanted.actionPhase
  expectSame(found.actionPhase === undefined, action === undefined || action === null)
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
  if (wanted.type === 'tick-tock') expectSame(found.isTock, wanted.isTock)
  if (wanted.type !== 'generic') return
  expectSame(found.creditFirst, wanted.creditFirst)
  expectSame(found.creditPhase?.credit, wanted.creditPhase?.credit.coins)
  expectSame(found.creditPhase?.dueFeesCollected ?? null, wanted.creditPhase?.dueFeesColelcted ?? null)
  const bounce = wanted.bouncePhase
  const type = bounce
    ? { 'negative-funds': 'negfunds', 'no-funds': 'nofunds', ok: 'ok' }[bounce.type]
    : undefined
  expectSame(found.bouncePhase?.type, type)
  if (bounce?.type === 'ok')
    expect(found.bouncePhase).toMatchObject({ msgFees: bounce.messageFees, fwdFees: bounce.forwardFees })
}

export function expectTransaction(found: DecodedTransaction, wanted: Transaction): void {
  expectSame(hex(found.account.hash), toHex(wanted.address))
  expectSame([found.lt, found.now, found.prevTransLt], [wanted.lt, wanted.now, wanted.prevTransactionLt])
  expectSame(hex(found.prevTransHash), toHex(wanted.prevTransactionHash))
  expectSame([found.origStatus, found.endStatus], [STATUS[wanted.oldStatus], STATUS[wanted.endStatus]])
  expectSame(
    [found.totalFees, found.totalFeesExtraCurrencies],
    [wanted.totalFees.coins, extra(wanted.totalFees)],
  )
  expectSame(
    [hex(found.stateHashBefore), hex(found.stateHashAfter)],
    [hex(wanted.stateUpdate.oldHash), hex(wanted.stateUpdate.newHash)],
  )
  expectDescription(found.description, wanted.description)
  expectSame(found.inMsg === undefined, !wanted.inMessage)
  if (found.inMsg) expectMessage(found.inMsg, wanted.inMessage!)
  expectSame(found.outMsgs.length, wanted.outMessagesCount)
  for (const [i, message] of found.outMsgs.entries()) expectMessage(message, wanted.outMessages.get(i)!)
}
