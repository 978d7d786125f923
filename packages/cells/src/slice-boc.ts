import type { Bag } from './bag.ts'
import { sliceToCell } from './builder.ts'
import { descriptor2 } from './cell.ts'
import { serializeBoc } from './serialize-boc.ts'
import { sha256 } from './sha256.ts'
import type { Slice } from './slice.ts'

/** Bag of cells (shortest form) of the tree below `cell`, copied directly from the bag. */
export const bagToBoc = (bag: Bag, cell: number): Buffer => bag.exporter.cell(cell)

/** Bag of cells of the i-th remaining reference. */
export function refToBoc(slice: Slice, i = 0): Buffer {
  const bag = slice.bag
  return bag ? bag.exporter.cell(slice.refBagCell(i)!) : serializeBoc(slice.preloadRefCell(i))
}

/** Bag of cells of what remains in the slice, taken as a cell. */
export function remainderToBoc(slice: Slice): Buffer {
  const bag = slice.bag
  return bag ? bag.exporter.remainder(slice) : serializeBoc(sliceToCell(slice))
}

/** Representation hash of what remains in the slice, taken as a cell. Only for trees of level 0. */
export function remainderHash(slice: Slice): Buffer {
  const refs = slice.remainingRefs
  const out = Buffer.allocUnsafe(2 + ((slice.remainingBits + 7) >> 3) + refs * 34)
  out[0] = refs
  out[1] = descriptor2(slice.remainingBits)
  let at = slice.writeRemainder(out, 2)
  for (let i = 0; i < refs; i++) at = out.writeUInt16BE(slice.refDepth(i), at)
  for (let i = 0; i < refs; i++, at += 32) slice.copyRefHash(i, out, at)
  return sha256(out)
}
