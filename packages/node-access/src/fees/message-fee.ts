import { Builder, type Cell, loadMsgAddress, MAX_CELL_BITS, type Slice } from '@shardwalk/cells'
import { DecodeError, MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import {
  type ConfigParams,
  type ForwardPrices,
  forwardPrices,
  measureStateInit,
  skipCurrencyCollection,
} from '@shardwalk/tlb'
import { forwardFee } from './fee-rules.ts'

/** block.tlb `addr_none$00`, and `addr_std$10` without anycast. */
const ADDRESS_BITS = { none: 2, std: 267 }

/**
 * Forwarding fee in nanotons of a message (block.tlb `MessageRelaxed`) that a contract made. The node fills
 * in source and fee. If the cell has no room for them, it moves the StateInit to a cell of its own, and if
 * that is not enough, the body as well; what is moved is paid for. Extra currencies are not. Throws
 * DecodeError.
 * Source: node, crypto/block/transaction.cpp, `Transaction::try_action_send_msg`.
 */
export function messageFee(config: ConfigParams, sender: RawAddress, message: Cell): bigint {
  const slice = message.slice()
  const info = loadInfo(slice)
  const prices = forwardPrices(config, info.isToMasterchain || sender.workchain === MASTERCHAIN)
  const init = loadInit(slice)
  const body = loadBody(slice)
  const feeOf = (parts: readonly Part[]) =>
    forwardFee(
      prices,
      parts.flatMap(({ refs }) => refs),
    )
  const fits = (parts: readonly Part[]) => {
    const feeBits = info.isInternal ? coinsBits(carriedFee(prices, feeOf(parts))) : 0
    return parts.reduce((sum, { bits }) => sum + bits, info.bits + feeBits) <= MAX_CELL_BITS
  }
  const last = [init.aside ?? init, body.aside ?? body]
  return feeOf(
    [
      [init, body],
      [last[0]!, body],
    ].find(fits) ?? last,
  )
}

/** The fee that the message carries: without the part that the sending shard keeps. */
const carriedFee = ({ firstPart }: ForwardPrices, fee: bigint): bigint => fee - ((fee * firstPart) >> 16n)

/** Length of block.tlb `Grams`, `VarUInteger 16`. */
const coinsBits = (value: bigint): number => new Builder().storeCoins(value).bits

interface Info {
  readonly isInternal: boolean
  readonly isToMasterchain: boolean
  /** Length when completed, without the fee. */
  readonly bits: number
}

/** block.tlb `int_msg_info$0`, `ext_out_msg_info$11` of `CommonMsgInfoRelaxed`. */
function loadInfo(slice: Slice): Info {
  const before = slice.remainingBits
  const isInternal = !slice.loadBit()
  slice.skip(isInternal ? 3 : 1)
  const source = loadMsgAddress(slice)
  const destination = loadMsgAddress(slice)
  let bits = source.type === 'none' ? ADDRESS_BITS.std - ADDRESS_BITS.none : 0
  if (isInternal) {
    if (destination.type !== 'std') throw new DecodeError('message', 'destination is not an internal address')
    skipCurrencyCollection(slice)
    slice.loadCoins()
    bits -= coinsBits(slice.loadCoins())
  }
  slice.skip(64 + 32)
  bits += before - slice.remainingBits
  const isToMasterchain = destination.type === 'std' && destination.address.workchain === MASTERCHAIN
  return { isInternal, isToMasterchain, bits }
}

/** StateInit or body of a message. */
interface Part {
  /** Length in the cell of the message. */
  readonly bits: number
  readonly refs: readonly Cell[]
  /** The same moved to a cell of its own, if the node does that. */
  readonly aside?: Part
}

/** block.tlb `init:(Maybe (Either StateInit ^StateInit))`. It is moved if it has several references. */
function loadInit(slice: Slice): Part {
  if (!slice.loadBit()) return { bits: 1, refs: [] }
  if (slice.loadBit()) return { bits: 2, refs: [slice.loadRefCell()] }
  const { bits, refs } = measureStateInit(slice)
  return inLine(2, slice.loadPart(bits, refs), refs > 1)
}

/** block.tlb `body:(Either X ^X)`. It is moved unless it is empty. */
function loadBody(slice: Slice): Part {
  if (slice.loadBit()) return { bits: 1, refs: [slice.loadRefCell()] }
  return inLine(1, slice, !slice.isEmpty)
}

function inLine(prefix: number, content: Slice, isMovable: boolean): Part {
  const cell = new Builder().storeSlice(content).endCell()
  const aside = { bits: prefix, refs: [cell] }
  return { bits: prefix + cell.bits, refs: cell.refs, ...(isMovable && { aside }) }
}
