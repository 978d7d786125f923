import {
  type Budget,
  type Builder,
  buildDict,
  type Cell,
  Builder as CellBuilder,
  type DictKey,
  forEachLeaf,
  loadDictRoot,
  type Slice,
} from '@shardwalk/cells'
import { DecodeError, type ExtraCurrencies } from '@shardwalk/model'

/** Nanotons and, where there are any, extra currencies. */
export interface CurrencyCollection {
  readonly grams: bigint
  readonly extra?: ExtraCurrencies
}

/** block.tlb `currencies$_ grams:Grams other:ExtraCurrencyCollection`. */
export function loadCurrencyCollection(slice: Slice): CurrencyCollection {
  const grams = slice.loadCoins()
  const extra = loadExtraCurrencies(slice)
  return extra ? { grams, extra } : { grams }
}

/** block.tlb `extra_currencies$_ dict:(HashmapE 32 (VarUInteger 32))`; undefined when empty. */
export function loadExtraCurrencies(slice: Slice): ExtraCurrencies | undefined {
  const root = loadDictRoot(slice)
  return root && loadExtraCurrenciesDict(root)
}

/** More than any network has; a message of a client can describe 2^32 with a few cells. */
const MAX_CURRENCIES = 10_000

/** The dictionary itself, from a reader over its root. Throws DecodeError. */
export function loadExtraCurrenciesDict(root: Slice): ExtraCurrencies {
  const amounts = new Map<number, bigint>()
  const visit = (value: Slice, key: DictKey) => {
    amounts.set(key.toNumber(), value.loadVarUint(5))
  }
  forEachLeaf(root, 32, visit, { most: MAX_CURRENCIES })
  return amounts
}

/** Far more than the messages of a block name, far less than fill the memory. */
const MAX_CURRENCIES_OF_BLOCK = 200_000

/**
 * Limit for all parts of one block together, which may refer to the same large dictionary; see
 * `countCurrencies`.
 */
export const currencyLimit = (): Budget => ({ left: MAX_CURRENCIES_OF_BLOCK })

/** Call it for each part that names currencies. Throws DecodeError when there are too many. */
export function countCurrencies(limit: Budget, amounts: ExtraCurrencies | undefined): void {
  limit.left -= amounts?.size ?? 0
  if (limit.left < 0)
    throw new DecodeError('extra_currencies', `more than ${MAX_CURRENCIES_OF_BLOCK} in one block`)
}

/** Root of the dictionary, the very cell that a node keeps; undefined when there are no extra currencies. */
export function buildExtraCurrencies(amounts: ExtraCurrencies): Cell | undefined {
  const entries = [...amounts].map(([id, amount]) => [id, new CellBuilder().storeVarUint(amount, 5)] as const)
  return buildDict(entries, 32)
}

/** Moves past a CurrencyCollection without reading the extra currencies, which a proof may have pruned. */
export function skipCurrencyCollection(slice: Slice): void {
  slice.loadCoins()
  if (slice.loadBit()) slice.skipRefs(1)
}

/** block.tlb `currencies$_`, the pair of `loadCurrencyCollection`. */
export function storeCurrencyCollection(builder: Builder, value: CurrencyCollection): Builder {
  return builder.storeCoins(value.grams).storeMaybeRef(value.extra && buildExtraCurrencies(value.extra))
}
