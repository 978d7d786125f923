import {
  type DecodedMessage,
  type DecodedTransaction,
  formatRawAddress,
  type RawAddress,
} from '@shardwalk/model'
import { coreDescription } from '@shardwalk/testkit/core-description'
import { expectSame } from '@shardwalk/testkit/expect-same'
import {
  type Address,
  Cell as CoreCell,
  type CurrencyCollection,
  type Message,
  type Transaction,
} from '@ton/core'
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
  expectSame(found.description, coreDescription(wanted.description))
  expectSame(found.inMsg === undefined, !wanted.inMessage)
  if (found.inMsg) expectMessage(found.inMsg, wanted.inMessage!)
  expectSame(found.outMsgs.length, wanted.outMessagesCount)
  for (const [i, message] of found.outMsgs.entries()) expectMessage(message, wanted.outMessages.get(i)!)
}
