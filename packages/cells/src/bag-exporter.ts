import type { Bag } from './bag.ts'
import { BOC_MAGIC } from './boc-writer.ts'
import { descriptor2 } from './cell.ts'
import { copyBytes } from './copy-bytes.ts'
import type { Slice } from './slice.ts'
import { orderCells, PostOrder } from './tree-order.ts'

/**
 * Header of a bag with one root and one cell: magic, sizes 1 and 1, 1 cell, 1 root, 0 absent, size, root 0.
 */
const ONE_CELL_HEADER = Buffer.from('b5ee9c7201010101000000', 'hex')
const ONE_CELL_TOTAL_AT = 9
/** Stands in for a cell index where the content is the rest of a slice, which is not a cell of the bag. */
const LOOSE = -1

/**
 * Writes subtrees of one bag as separate bags in the shortest form (no index, no CRC) and in the node's
 * order. It copies bytes without building cells. A class, because hundreds of bodies, inits, codes and data
 * cells are exported per block and the working arrays are reused between calls.
 */
export class BagExporter {
  private readonly bag: Bag
  private readonly tree = new PostOrder()
  /** Cell of the bag behind each cell of the tree. */
  private cells = new Int32Array(64)
  /** Index in the tree plus 1 by cell of the bag; 0 for cells not in the tree. */
  private readonly known: Uint32Array
  private loose: Slice | undefined

  constructor(bag: Bag) {
    this.bag = bag
    this.known = new Uint32Array(bag.count)
  }

  /** Serialises the tree below `cell`. */
  cell(cell: number): Buffer {
    if (this.bag.refCount(cell) === 0) return this.oneCell(cell)
    this.tree.clear()
    return this.finish(this.add(cell))
  }

  /** Serialises what remains in a slice over this bag as if it were a cell. */
  remainder(slice: Slice): Buffer {
    if (slice.remainingRefs === 0) return oneLooseCell(slice)
    this.tree.clear()
    this.loose = slice
    for (let i = 0; i < slice.remainingRefs; i++) this.add(slice.refBagCell(i)!)
    const root = this.open(LOOSE)
    for (let i = 0; i < slice.remainingRefs; i++)
      this.tree.addRef(root, this.known[slice.refBagCell(i)!]! - 1)
    this.tree.close(root)
    return this.finish(root)
  }

  private add(cell: number): number {
    const known = this.known[cell]!
    if (known !== 0) return known - 1
    const refs = this.bag.refCount(cell)
    for (let i = 0; i < refs; i++) this.add(this.bag.ref(cell, i))
    const index = this.open(cell)
    for (let i = 0; i < refs; i++) this.tree.addRef(index, this.known[this.bag.ref(cell, i)]! - 1)
    this.tree.close(index)
    this.known[cell] = index + 1
    return index
  }

  private open(cell: number): number {
    const index = this.tree.open()
    if (index === this.cells.length) {
      const grown = new Int32Array(index * 2)
      grown.set(this.cells)
      this.cells = grown
    }
    this.cells[index] = cell
    return index
  }

  private finish(root: number): Buffer {
    orderCells(this.tree, [root])
    const boc = this.write(root)
    for (let i = 0; i < this.tree.count; i++) {
      const cell = this.cells[i]!
      if (cell !== LOOSE) this.known[cell] = 0
    }
    return boc
  }

  private write(root: number): Buffer {
    const { count, refCounts, refs, positions } = this.tree
    const refSize = count < 0x100 ? 1 : count < 0x10000 ? 2 : 4
    const inFileOrder = new Int32Array(count)
    let total = 0
    for (let i = 0; i < count; i++) {
      inFileOrder[positions[i]!] = i
      total += 2 + this.dataLength(this.cells[i]!) + refCounts[i]! * refSize
    }
    const offsetSize = total < 0x100 ? 1 : total < 0x10000 ? 2 : total < 0x1000000 ? 3 : 4
    const out = Buffer.allocUnsafe(6 + 4 * refSize + offsetSize + total)
    let at = writeHeader(out, refSize, offsetSize, count, total, positions[root]!)
    for (let position = 0; position < count; position++) {
      const index = inFileOrder[position]!
      at = this.writeCell(out, at, this.cells[index]!)
      for (let r = index * 4, end = r + refCounts[index]!; r < end; r++) {
        const target = positions[refs[r]!]!
        if (refSize === 1) out[at++] = target
        else at = out.writeUIntBE(target, at, refSize)
      }
    }
    return out
  }

  private dataLength(cell: number): number {
    if (cell === LOOSE) return (this.loose!.remainingBits + 7) >> 3
    return (this.bag.bytes[this.bag.offsets[cell]! + 1]! + 1) >> 1
  }

  private writeCell(out: Buffer, start: number, cell: number): number {
    if (cell === LOOSE) return writeLoose(out, start, this.loose!)
    const { bytes, offsets } = this.bag
    const offset = offsets[cell]!
    const d2 = bytes[offset + 1]!
    out[start] = bytes[offset]! & ~16
    out[start + 1] = d2
    return copyBytes(bytes, this.bag.dataOffset(cell), out, start + 2, (d2 + 1) >> 1)
  }

  private oneCell(cell: number): Buffer {
    const length = this.dataLength(cell)
    const out = Buffer.allocUnsafe(ONE_CELL_HEADER.length + 2 + length)
    copyBytes(ONE_CELL_HEADER, 0, out, 0, ONE_CELL_HEADER.length)
    out[ONE_CELL_TOTAL_AT] = 2 + length
    this.writeCell(out, ONE_CELL_HEADER.length, cell)
    return out
  }
}

function oneLooseCell(slice: Slice): Buffer {
  const length = (slice.remainingBits + 7) >> 3
  const out = Buffer.allocUnsafe(ONE_CELL_HEADER.length + 2 + length)
  copyBytes(ONE_CELL_HEADER, 0, out, 0, ONE_CELL_HEADER.length)
  out[ONE_CELL_TOTAL_AT] = 2 + length
  writeLoose(out, ONE_CELL_HEADER.length, slice)
  return out
}

function writeLoose(out: Buffer, start: number, slice: Slice): number {
  let mask = 0
  for (let i = 0; i < slice.remainingRefs; i++) mask |= slice.refLevelMask(i)
  out[start] = slice.remainingRefs | (mask << 5)
  out[start + 1] = descriptor2(slice.remainingBits)
  return slice.writeRemainder(out, start + 2)
}

function writeHeader(
  out: Buffer,
  refSize: number,
  offsetSize: number,
  count: number,
  total: number,
  root: number,
): number {
  out.writeUInt32BE(BOC_MAGIC, 0)
  out[4] = refSize
  out[5] = offsetSize
  let at = 6
  at = out.writeUIntBE(count, at, refSize)
  at = out.writeUIntBE(1, at, refSize)
  at = out.writeUIntBE(0, at, refSize)
  at = out.writeUIntBE(total, at, offsetSize)
  return out.writeUIntBE(root, at, refSize)
}
