import { Builder, buildDict, type Cell } from '@shardwalk/cells'

/** block.tlb `_#cc utime_since:uint32`, then prices of bits and cells, those of the masterchain last. */
const storage = new Builder()
  .storeUint(0xcc, 8)
  .storeUint(0, 32)
  .storeUint(1, 64)
  .storeUint(500, 64)
  .storeUint(1_000, 64)
  .storeUint(500_000, 64)

/**
 * block.tlb `gas_flat_pfx#d1`, `gas_prices_ext#de`: price, limit, limit of special accounts, credit, limit of
 * a block, debts that freeze and delete.
 */
function gas(price: number): Cell {
  const builder = new Builder()
    .storeUint(0xd1, 8)
    .storeUint(100, 64)
    .storeUint(price * 100, 64)
  builder.storeUint(0xde, 8).storeUint(price << 16, 64)
  for (const limit of [1_000_000, 10_000_000, 10_000, 10_000_000, 100_000_000, 1_000_000_000])
    builder.storeUint(limit, 64)
  return builder.endCell()
}

/** block.tlb `msg_forward_prices#ea`: lump, bit and cell; immediate routing; parts taken first and next. */
const forward = (lump: number): Cell =>
  new Builder()
    .storeUint(0xea, 8)
    .storeUint(lump, 64)
    .storeUint(lump * 65, 64)
    .storeUint(lump * 6_500, 64)
    .storeUint(98_304, 32)
    .storeUint(21_845, 16)
    .storeUint(21_845, 16)
    .endCell()

/** ConfigParam 18, 20, 21, 24 and 25; the masterchain is dearer. */
export const PRICES: readonly (readonly [number, Cell])[] = [
  [18, buildDict([[0, storage]], 32)!],
  ...[gas(10_000), gas(400)].map((cell, i) => [20 + i, cell] as const),
  ...[forward(10_000_000), forward(400_000)].map((cell, i) => [24 + i, cell] as const),
]
