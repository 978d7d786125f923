import type { Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { type CurrencyCollection, loadCurrencyCollection } from './currency.ts'

/** block.tlb `ValueFlow`: where the money of a block came from and went. `burned` only in the second form. */
export interface ValueFlow {
  readonly fromPrevBlk: CurrencyCollection
  readonly toNextBlk: CurrencyCollection
  readonly imported: CurrencyCollection
  readonly exported: CurrencyCollection
  readonly feesCollected: CurrencyCollection
  readonly burned?: CurrencyCollection
  readonly feesImported: CurrencyCollection
  readonly recovered: CurrencyCollection
  readonly created: CurrencyCollection
  readonly minted: CurrencyCollection
}

const VALUE_FLOW = 0xb8e48dfb
const VALUE_FLOW_V2 = 0x3ebf98b7

/** Throws `DecodeError` for a tag of neither form. */
export function loadValueFlow(slice: Slice): ValueFlow {
  const tag = slice.loadUint(32)
  if (tag !== VALUE_FLOW && tag !== VALUE_FLOW_V2)
    throw new DecodeError('value_flow', `unknown tag ${tag.toString(16)}`)
  const blocks = slice.loadRefSlice()
  const feesCollected = loadCurrencyCollection(slice)
  const burned = tag === VALUE_FLOW_V2 ? loadCurrencyCollection(slice) : undefined
  const fees = slice.loadRefSlice()
  return {
    fromPrevBlk: loadCurrencyCollection(blocks),
    toNextBlk: loadCurrencyCollection(blocks),
    imported: loadCurrencyCollection(blocks),
    exported: loadCurrencyCollection(blocks),
    feesCollected,
    ...(burned && { burned }),
    feesImported: loadCurrencyCollection(fees),
    recovered: loadCurrencyCollection(fees),
    created: loadCurrencyCollection(fees),
    minted: loadCurrencyCollection(fees),
  }
}
