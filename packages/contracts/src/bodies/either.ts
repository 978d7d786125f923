import type { Slice } from '@shardwalk/cells'

/** `Either X ^X`, the bit first, as a reader of X; undefined when no bit is left. */
export function loadEither(slice: Slice): Slice | undefined {
  if (slice.remainingBits === 0) return undefined
  return slice.loadBit() ? slice.loadRefSlice() : slice
}
