import { type Cell, forEachLeaf, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { type ConfigParams, findConfigParam } from '@shardwalk/tlb'

/** block.tlb `MsgForwardPrices`: nanotons, the two prices in 1/65536. */
export interface ForwardPrices {
  readonly lumpPrice: bigint
  readonly bitPrice: bigint
  readonly cellPrice: bigint
}

/** block.tlb `GasLimitsPrices` with its flat part. */
export interface GasPrices {
  readonly flatLimit: bigint
  readonly flatPrice: bigint
  readonly price: bigint
}

/** block.tlb `StoragePrices` for one of the two kinds of workchain. */
interface StoragePrice {
  readonly since: number
  readonly bitPrice: bigint
  readonly cellPrice: bigint
}

const SCALE = 65536n
const divideUp = (value: bigint): bigint => (value + SCALE - 1n) / SCALE

function param(config: ConfigParams, index: number): Slice {
  const value = findConfigParam(config, index)
  if (!value) throw new DecodeError('config', `parameter ${index} is not set`)
  return value
}

/** ConfigParam 24 or 25. */
export function forwardPrices(config: ConfigParams, isMasterchain: boolean): ForwardPrices {
  const slice = param(config, isMasterchain ? 24 : 25)
  if (slice.loadUint(8) !== 0xea) throw new DecodeError('msg_forward_prices', 'unknown tag')
  return {
    lumpPrice: slice.loadUintBig(64),
    bitPrice: slice.loadUintBig(64),
    cellPrice: slice.loadUintBig(64),
  }
}

/** ConfigParam 20 or 21. */
export function gasPrices(config: ConfigParams, isMasterchain: boolean): GasPrices {
  const slice = param(config, isMasterchain ? 20 : 21)
  let flat = { flatLimit: 0n, flatPrice: 0n }
  let tag = slice.loadUint(8)
  if (tag === 0xd1) {
    flat = { flatLimit: slice.loadUintBig(64), flatPrice: slice.loadUintBig(64) }
    tag = slice.loadUint(8)
  }
  if (tag !== 0xde && tag !== 0xdd) throw new DecodeError('gas_prices', 'unknown tag')
  return { ...flat, price: slice.loadUintBig(64) }
}

export const gasFee = ({ flatLimit, flatPrice, price }: GasPrices, used: bigint): bigint =>
  used <= flatLimit ? flatPrice : flatPrice + divideUp(price * (used - flatLimit))

/** Fee for what is below the message's root cell; equal cells count once. */
export function forwardFee({ lumpPrice, bitPrice, cellPrice }: ForwardPrices, message: Cell): bigint {
  const seen = new Map<string, Cell>()
  const visit = (cell: Cell): void => {
    const key = cell.hash().toString('latin1')
    if (seen.has(key)) return
    seen.set(key, cell)
    cell.refs.forEach(visit)
  }
  message.refs.forEach(visit)
  const bits = [...seen.values()].reduce((sum, cell) => sum + BigInt(cell.bits), 0n)
  return lumpPrice + divideUp(bitPrice * bits + cellPrice * BigInt(seen.size))
}

/** ConfigParam 18, oldest prices first. */
function storagePrices(config: ConfigParams, isMasterchain: boolean): readonly StoragePrice[] {
  const prices: StoragePrice[] = []
  forEachLeaf(param(config, 18), 32, (slice) => {
    if (slice.loadUint(8) !== 0xcc) throw new DecodeError('storage_prices', 'unknown tag')
    const since = slice.loadUint(32)
    if (isMasterchain) slice.skip(128)
    prices.push({ since, bitPrice: slice.loadUintBig(64), cellPrice: slice.loadUintBig(64) })
  })
  return prices
}

interface StoredAccount {
  readonly used: { readonly bits: bigint; readonly cells: bigint }
  readonly lastPaid: number
}

/** What the account owes for the time since it paid last; older debts are left out. */
export function storageFee(
  config: ConfigParams,
  { used, lastPaid }: StoredAccount,
  { now, isMasterchain }: { readonly now: number; readonly isMasterchain: boolean },
): bigint {
  if (lastPaid === 0 || lastPaid >= now) return 0n
  const prices = storagePrices(config, isMasterchain)
  const parts = prices.map(({ since, bitPrice, cellPrice }, i) => {
    const seconds = Math.min(now, prices[i + 1]?.since ?? now) - Math.max(lastPaid, since)
    return seconds > 0 ? BigInt(seconds) * (used.bits * bitPrice + used.cells * cellPrice) : 0n
  })
  return divideUp(parts.reduce((sum, part) => sum + part, 0n))
}
