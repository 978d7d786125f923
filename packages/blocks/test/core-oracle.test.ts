import { Builder, parseBoc } from '@shardwalk/cells'
import {
  type DecodedMessage,
  type DecodedTransaction,
  formatRawAddress,
  type RawAddress,
  type TransactionDescription,
} from '@shardwalk/model'
import { packDescription, unpackDescription } from '@shardwalk/tlb'
import {
  type Address,
  Cell as CoreCell,
  type CurrencyCollection,
  loadTransaction,
  type Message,
  type Transaction,
  type TransactionComputePhase,
} from '@ton/core'
import { describe, expect, test } from 'vitest'
import { decodeBlock } from '../src/index.ts'
import { blockIndex, hex, rawBlock } from './fixtures.ts'

/** Every cell of a block as @ton/core holds it, by hash. */
function coreCells(bytes: Buffer): ReadonlyMap<string, CoreCell> {
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
      expect(BigInt(`0x${hex(found.externalDestination!.bytes)}`) >> BigInt(-info.dest.bits & 7)).toBe(
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
      mode,
      exitCode,
      vmSteps,
    },
    gasCredit: gasCredit === undefined || gasCredit === null ? undefined : BigInt(gasCredit),
    exitArg: exitArg ?? undefined,
    vmInitStateHash: Buffer.from(toHex(phase.vmInitStateHash), 'hex'),
    vmFinalStateHash: Buffer.from(toHex(phase.vmFinalStateHash), 'hex'),
  }
}

function expectDescription(found: TransactionDescription, wanted: Transaction['description']): void {
  if (wanted.type !== 'generic' && wanted.type !== 'tick-tock') throw new Error(`unexpected ${wanted.type}`)
  expect(found.kind).toBe(wanted.type === 'generic' ? 'ord' : 'tick_tock')
  expect([found.aborted, found.destroyed]).toEqual([wanted.aborted, wanted.destroyed])
  expect(found.computePhase).toEqual(compute(wanted.computePhase))
  const storage = wanted.storagePhase
  expect(found.storagePhase?.storageFeesCollected).toBe(storage?.storageFeesCollected)
  expect(found.storagePhase?.storageFeesDue ?? null).toBe(storage?.storageFeesDue ?? null)
  expect(found.storagePhase?.statusChange).toBe(storage?.statusChange)
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
  if (wanted.type === 'tick-tock') {
    expect(found.isTock).toBe(wanted.isTock)
    return
  }
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

function expectTransaction(found: DecodedTransaction, wanted: Transaction): void {
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

describe.each(blockIndex.filter((entry) => entry.transactions > 0))('$file', (entry) => {
  const raw = rawBlock(entry)
  const block = decodeBlock(raw)

  test('decodes every field of transactions and messages as @ton/core does', () => {
    const cells = coreCells(raw.bytes)
    for (const tx of block.transactions)
      expectTransaction(tx, loadTransaction(cells.get(hex(tx.hash))!.beginParse()))
  })

  test('packs descriptions without loss, below 100 bytes on average', () => {
    let total = 0
    for (const { description } of block.transactions) {
      const packed = packDescription(description)
      total += packed.length
      expect(unpackDescription(packed)).toEqual(description)
    }
    expect(total / block.transactions.length).toBeLessThan(100)
  })

  test('has normalised hashes as TEP-467 defines them', () => {
    for (const { inMsg } of block.transactions) {
      if (inMsg?.kind !== 'external_in') continue
      expect(hex(normalised(inMsg))).toBe(hex(inMsg.hashNorm ?? inMsg.hash))
    }
  })
})

/** TEP-467, implemented independently over built cells. */
function normalised(message: DecodedMessage): Buffer {
  const body = parseBoc(message.body)
  const head = new Builder()
    .storeUint(0b1000, 4)
    .storeAddress(message.destination)
    .storeUint(0, 4)
    .storeUint(0b01, 2)
  return head.storeRef(body.cell(body.root)).endCell().hash()
}
