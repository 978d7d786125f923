import { hash as digest } from 'node:crypto'
import type { Bag } from './bag.ts'
import { type CellContents, writeBoc } from './boc-writer.ts'
import { descriptor2 } from './cell.ts'
import { serializeBoc } from './serialize-boc.ts'
import type { Slice } from './slice.ts'
import { PostOrder } from './tree-order.ts'

/** Header of a bag with one root and fewer than 256 cells and bytes: magic, sizes 1 and 1, cells, roots 1, absent 0, total, root 0. */
const ONE_CELL_HEADER = Buffer.from('b5ee9c7201010101000000', 'hex')
const TOTAL_AT = 9
const HEADER_SIZE = ONE_CELL_HEADER.length

/** Bag of cells (shortest form) of the tree below `cell`, copied straight from the bag. */
export function bagToBoc(bag: Bag, cell: number): Buffer {
  if (bag.refCount(cell) === 0) return oneCell(bag, cell)
  const importer = new BagImporter(bag)
  const root = importer.import(cell)
  return writeBoc(importer.tree, importer, [root], {})
}

/** Bag of cells of the i-th remaining reference. */
export function refToBoc(slice: Slice, i = 0): Buffer {
  const at = slice.bagCell
  return at ? bagToBoc(at.bag, slice.refBagCell(i)!) : serializeBoc(slice.preloadRefCell(i))
}

/** Bag of cells of what remains in the slice, as a cell of its own. */
export function remainderToBoc(slice: Slice): Buffer {
  const at = slice.bagCell
  if (!at) return serializeBoc(slice.toCell())
  if (slice.remainingRefs === 0) return oneLooseCell(slice)
  const importer = new BagImporter(at.bag)
  const root = importer.importRemainder(slice)
  return writeBoc(importer.tree, importer, [root], {})
}

/** Representation hash of what remains in the slice, as a cell of its own (level 0 trees only). */
export function remainderHash(slice: Slice): Buffer {
  const refs = slice.remainingRefs
  const bits = slice.remainingBits
  const length = (bits + 7) >> 3
  const out = Buffer.allocUnsafe(2 + length + refs * 34)
  out[0] = refs
  out[1] = descriptor2(bits)
  writeRemainder(slice, out, 2)
  for (let i = 0; i < refs; i++) {
    out.writeUInt16BE(slice.refDepth(i), 2 + length + i * 2)
    slice.refHash(i).copy(out, 2 + length + refs * 2 + i * 32)
  }
  return digest('sha256', out, 'buffer')
}

function oneCell(bag: Bag, cell: number): Buffer {
  const from = bag.dataOffset(cell)
  const length = bag.offsets[cell + 1]! - from
  const out = Buffer.allocUnsafe(HEADER_SIZE + 2 + length)
  ONE_CELL_HEADER.copy(out)
  out[TOTAL_AT] = 2 + length
  out[HEADER_SIZE] = bag.bytes[bag.offsets[cell]!]! & ~16
  out[HEADER_SIZE + 1] = bag.bytes[bag.offsets[cell]! + 1]!
  bag.bytes.copy(out, HEADER_SIZE + 2, from, from + length)
  return out
}

function oneLooseCell(slice: Slice): Buffer {
  const bits = slice.remainingBits
  const length = (bits + 7) >> 3
  const out = Buffer.allocUnsafe(HEADER_SIZE + 2 + length)
  ONE_CELL_HEADER.copy(out)
  out[TOTAL_AT] = 2 + length
  out[HEADER_SIZE] = 0
  out[HEADER_SIZE + 1] = descriptor2(bits)
  writeRemainder(slice, out, HEADER_SIZE + 2)
  return out
}

/** The remaining bits as cell data: left-aligned, with the end marker where one is due. */
function writeRemainder(slice: Slice, target: Buffer, at: number): void {
  const bits = slice.remainingBits
  slice.copyBits(target, at)
  if ((bits & 7) !== 0) target[at + (bits >> 3)]! |= 0x80 >> (bits & 7)
}

class BagImporter implements CellContents {
  readonly tree = new PostOrder()
  readonly #bag: Bag
  readonly #cells: number[] = []
  readonly #known = new Map<number, number>()
  #loose: Slice | undefined

  constructor(bag: Bag) {
    this.#bag = bag
  }

  import(cell: number): number {
    const known = this.#known.get(cell)
    if (known !== undefined) return known
    const refs: number[] = []
    for (let i = 0, n = this.#bag.refCount(cell); i < n; i++) refs.push(this.import(this.#bag.ref(cell, i)))
    const index = this.tree.add(refs)
    this.#cells.push(cell)
    this.#known.set(cell, index)
    return index
  }

  /** The rest of a cell becomes the root; it exists in no bag. */
  importRemainder(slice: Slice): number {
    const refs: number[] = []
    for (let i = 0; i < slice.remainingRefs; i++) refs.push(this.import(slice.refBagCell(i)!))
    this.#loose = slice
    this.#cells.push(-1)
    return this.tree.add(refs)
  }

  d1(index: number): number {
    const cell = this.#cells[index]!
    if (cell >= 0) return this.#bag.bytes[this.#bag.offsets[cell]!]! & ~16
    let mask = 0
    for (let i = 0; i < this.#loose!.remainingRefs; i++) mask |= this.#loose!.refLevelMask(i)
    return this.#loose!.remainingRefs | (mask << 5)
  }

  dataLength(index: number): number {
    const cell = this.#cells[index]!
    return cell < 0 ? (this.#loose!.remainingBits + 7) >> 3 : (this.#bag.bytes[this.#bag.offsets[cell]! + 1]! + 1) >> 1
  }

  writeData(index: number, target: Buffer, at: number, dataAt: number): void {
    const cell = this.#cells[index]!
    if (cell < 0) {
      target[at] = descriptor2(this.#loose!.remainingBits)
      writeRemainder(this.#loose!, target, dataAt)
      return
    }
    const bag = this.#bag
    target[at] = bag.bytes[bag.offsets[cell]! + 1]!
    const from = bag.dataOffset(cell)
    bag.bytes.copy(target, dataAt, from, from + this.dataLength(index))
  }

  hash(index: number, level: number): Uint8Array {
    return this.#bag.hash(this.#cells[index]!, level)
  }

  depth(index: number, level: number): number {
    return this.#bag.depth(this.#cells[index]!, level)
  }
}
