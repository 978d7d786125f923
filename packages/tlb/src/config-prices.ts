import { forEachLeaf, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { type ConfigParams, findConfigParam } from './mc-block-extra.ts'

/** Nanotons; the prices of bits and cells are multiplied by 65,536. */
export interface ForwardPrices {
  readonly lumpPrice: bigint
  readonly bitPrice: bigint
  readonly cellPrice: bigint
  /** What is taken where the message is sent, multiplied by 65,536; the message carries the rest. */
  readonly firstPart: bigint
}

/** The first `flatLimit` units cost `flatPrice` together, `price` (multiplied by 65,536) each above. */
export interface GasPrices {
  readonly flatLimit: bigint
  readonly flatPrice: bigint
  readonly price: bigint
}

/** Per second, multiplied by 65,536. */
export interface StoragePrice {
  /** Unix seconds from which the prices hold. */
  readonly since: number
  readonly bitPrice: bigint
  readonly cellPrice: bigint
}

/**
 * Configuration parameters 24 (masterchain) and 25.
 * block.tlb `msg_forward_prices#ea lump_price:uint64 bit_price:uint64 cell_price:uint64
 * ihr_price_factor:uint32 first_frac:uint16 next_frac:uint16`.
 */
export function forwardPrices(config: ConfigParams, isMasterchain: boolean): ForwardPrices {
  const slice = parameter(config, isMasterchain ? 24 : 25)
  if (slice.loadUint(8) !== 0xea) throw new DecodeError('msg_forward_prices', 'unknown tag')
  return {
    lumpPrice: slice.loadUintBig(64),
    bitPrice: slice.loadUintBig(64),
    cellPrice: slice.loadUintBig(64),
    firstPart: slice.skip(32).loadUintBig(16),
  }
}

/**
 * Configuration parameters 20 (masterchain) and 21. block.tlb `gas_flat_pfx#d1 flat_gas_limit:uint64
 * flat_gas_price:uint64 other:GasLimitsPrices`, `gas_prices#dd gas_price:uint64`, `gas_prices_ext#de
 * gas_price:uint64`.
 */
export function gasPrices(config: ConfigParams, isMasterchain: boolean): GasPrices {
  const slice = parameter(config, isMasterchain ? 20 : 21)
  let flat = { flatLimit: 0n, flatPrice: 0n }
  let tag = slice.loadUint(8)
  if (tag === 0xd1) {
    flat = { flatLimit: slice.loadUintBig(64), flatPrice: slice.loadUintBig(64) }
    tag = slice.loadUint(8)
  }
  if (tag !== 0xde && tag !== 0xdd) throw new DecodeError('gas_prices', 'unknown tag')
  return { ...flat, price: slice.loadUintBig(64) }
}

/**
 * Configuration parameter 18, oldest prices first. block.tlb `_#cc utime_since:uint32 bit_price_ps:uint64
 * cell_price_ps:uint64 mc_bit_price_ps:uint64 mc_cell_price_ps:uint64 = StoragePrices`.
 */
export function storagePrices(config: ConfigParams, isMasterchain: boolean): readonly StoragePrice[] {
  const prices: StoragePrice[] = []
  forEachLeaf(parameter(config, 18), 32, (slice) => {
    if (slice.loadUint(8) !== 0xcc) throw new DecodeError('storage_prices', 'unknown tag')
    const since = slice.loadUint(32)
    if (isMasterchain) slice.skip(128)
    prices.push({ since, bitPrice: slice.loadUintBig(64), cellPrice: slice.loadUintBig(64) })
  })
  return prices
}

function parameter(config: ConfigParams, index: number): Slice {
  const value = findConfigParam(config, index)
  if (!value) throw new DecodeError('config', `parameter ${index} is not set`)
  return value
}
