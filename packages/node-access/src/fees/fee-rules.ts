import type { Cell } from '@shardwalk/cells'
import { type ConfigParams, type ForwardPrices, type GasPrices, storagePrices } from '@shardwalk/tlb'

/** Denominator of prices. Source: block.tlb `MsgForwardPrices`, `StoragePrices`: units of 2^-16 nanotons. */
const SCALE = 65536n
const divideUp = (value: bigint): bigint => (value + SCALE - 1n) / SCALE

/** Fee for an amount of gas, in nanotons. */
export const gasFee = ({ flatLimit, flatPrice, price }: GasPrices, used: bigint): bigint =>
  used <= flatLimit ? flatPrice : flatPrice + divideUp(price * (used - flatLimit))

type Prices = Pick<ForwardPrices, 'lumpPrice' | 'bitPrice' | 'cellPrice'>

/**
 * Fee for a message with these cells below its root cell, which is free, and all that they refer to, in
 * nanotons; equal cells count once.
 */
export function forwardFee({ lumpPrice, bitPrice, cellPrice }: Prices, below: readonly Cell[]): bigint {
  const seen = new Map<string, Cell>()
  const visit = (cell: Cell): void => {
    const key = cell.hash().toString('latin1')
    if (seen.has(key)) return
    seen.set(key, cell)
    cell.refs.forEach(visit)
  }
  below.forEach(visit)
  const bits = [...seen.values()].reduce((sum, cell) => sum + BigInt(cell.bits), 0n)
  return lumpPrice + divideUp(bitPrice * bits + cellPrice * BigInt(seen.size))
}

interface StoredAccount {
  readonly used: { readonly bits: bigint; readonly cells: bigint }
  readonly lastPaid: number
  readonly duePayment?: bigint
}

/** Storage fee since the last payment, in nanotons, and what is owed besides. */
export function storageFee(
  config: ConfigParams,
  { used, lastPaid, duePayment = 0n }: StoredAccount,
  { now, isMasterchain }: { readonly now: number; readonly isMasterchain: boolean },
): bigint {
  if (lastPaid === 0 || lastPaid >= now) return duePayment
  const prices = storagePrices(config, isMasterchain)
  const parts = prices.map(({ since, bitPrice, cellPrice }, i) => {
    const seconds = Math.min(now, prices[i + 1]?.since ?? now) - Math.max(lastPaid, since)
    return seconds > 0 ? BigInt(seconds) * (used.bits * bitPrice + used.cells * cellPrice) : 0n
  })
  return duePayment + divideUp(parts.reduce((sum, part) => sum + part, 0n))
}
