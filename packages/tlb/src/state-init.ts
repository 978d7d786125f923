import type { Slice } from '@shardwalk/cells'

/** Length of a `StateInit` that stands in line, in bits and references. */
export interface StateInitSize {
  readonly bits: number
  readonly refs: number
}

/**
 * Measures block.tlb `_ fixed_prefix_length:(Maybe (## 5)) special:(Maybe TickTock) code:(Maybe ^Cell)
 * data:(Maybe ^Cell) library:(HashmapE 256 SimpleLib)` without reading what it refers to. Does not move the
 * slice.
 */
export function measureStateInit(slice: Slice): StateInitSize {
  const reader = slice.clone()
  const before = reader.remainingBits
  if (reader.loadBit()) reader.skip(5)
  if (reader.loadBit()) reader.skip(2)
  let refs = 0
  for (let i = 0; i < 3; i++) if (reader.loadBit()) refs++
  return { bits: before - reader.remainingBits, refs }
}

/** References of a `StateInit` as positions among its references; undefined where the part is absent. */
export interface StateInitRefs {
  readonly fixedPrefixLength?: number
  readonly special?: { readonly tick: boolean; readonly tock: boolean }
  /** Readers limited to one reference: use `refHash`, `refToBoc`, `preloadRefCell`. */
  readonly code?: Slice
  readonly data?: Slice
  readonly library?: Slice
}

/** block.tlb `StateInit`. Moves past it; what it refers to is not read. */
export function loadStateInit(slice: Slice): StateInitRefs {
  const fixedPrefixLength = slice.loadMaybeUint(5)
  const special = slice.loadBit() ? { tick: slice.loadBit(), tock: slice.loadBit() } : undefined
  const code = slice.loadBit() ? slice.loadPart(0, 1) : undefined
  const data = slice.loadBit() ? slice.loadPart(0, 1) : undefined
  const library = slice.loadBit() ? slice.loadPart(0, 1) : undefined
  return { fixedPrefixLength, special, code, data, library }
}
