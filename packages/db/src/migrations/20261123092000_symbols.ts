import type { OnlineIndex } from './online-index.ts'

/** Masters with the same symbol. Hash indexes, because a symbol may be longer than a key of a B-tree. */
const bySymbol = (table: string, symbol: string): OnlineIndex => ({
  table,
  name: `${table}_symbol`,
  definition: `using hash (lower(${symbol}))`,
})

export const online: readonly OnlineIndex[] = [
  bySymbol('jetton_masters', "content ->> 'symbol'"),
  bySymbol('address_metadata', 'symbol'),
]
