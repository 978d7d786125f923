import { crc32c } from './crc32c.ts'
import { POPCOUNT } from './levels.ts'
import { orderCells, type PostOrder } from './tree-order.ts'

/** First four bytes of a bag of cells. Source: ton, crypto/tl/boc.tlb `serialized_boc#b5ee9c72`. */
export const BOC_MAGIC = 0xb5ee9c72

/** Form of a bag of cells: the flags of its header. Source: boc.tlb, `serialized_boc#b5ee9c72`. */
export interface BocOptions {
  readonly index?: boolean
  readonly crc32c?: boolean
  /** Requires `index`. */
  readonly cacheBits?: boolean
  /** Stores hashes and depths in the cells for which the node does so. */
  readonly storedHashes?: boolean
}

/** What the writer needs to know about the cells of a `PostOrder`. */
export interface CellContents {
  /** Descriptor d1 without the stored-hashes bit. */
  d1(cell: number): number
  /** Number of data bytes, including the end marker but not the descriptors. */
  dataLength(cell: number): number
  /** Writes d2 at `at` and the data bytes from `dataAt`. */
  writeData(cell: number, target: Buffer, at: number, dataAt: number): void
  hash(cell: number, level: number): Uint8Array
  depth(cell: number, level: number): number
}

const bytesFor = (value: number): number => {
  let size = 1
  while (value >= 2 ** (8 * size)) size++
  return size
}

/** Writes trees as a bag of cells in the node's order. */
export function writeBoc(
  tree: PostOrder,
  contents: CellContents,
  roots: readonly number[],
  options: BocOptions,
): Buffer {
  orderCells(tree, roots)
  const { positions, count } = tree
  const layout: Layout = { tree, roots, options, ...measure(tree, contents, options) }
  const { byPosition, stored, refSize, offsetSize, total } = layout
  const headerSize =
    6 + 3 * refSize + offsetSize + roots.length * refSize + (options.index ? count * offsetSize : 0)
  const out = Buffer.allocUnsafe(headerSize + total + (options.crc32c ? 4 : 0))
  let at = writeHeader(out, layout)
  for (let position = 0; position < count; position++) {
    const cell = byPosition[position]!
    at = writeCell(out, at, cell, contents, stored(cell))
    for (let i = 0; i < tree.refCounts[cell]!; i++)
      at = out.writeUIntBE(positions[tree.refs[cell * 4 + i]!]!, at, refSize)
  }
  if (options.crc32c) out.writeUInt32LE(crc32c(out, 0, at), at)
  return out
}

/** Sizes in bytes; boc.tlb calls `refSize` `size` and `offsetSize` `off_bytes`. */
interface Measures {
  /** Cells in the order in which they are written, and their sizes. */
  readonly byPosition: Uint32Array
  readonly sizes: Uint32Array
  readonly total: number
  readonly refSize: number
  readonly offsetSize: number
  /** Whether a cell has its hashes and depths. */
  stored(cell: number): boolean
}

interface Layout extends Measures {
  readonly tree: PostOrder
  /** Cells, as in `tree`. */
  readonly roots: readonly number[]
  readonly options: BocOptions
}

function measure(tree: PostOrder, contents: CellContents, options: BocOptions): Measures {
  const { count, positions, weights, refCounts } = tree
  const refSize = bytesFor(count)
  const stored = (cell: number) => options.storedHashes === true && weights[cell] === 0
  const byPosition = new Uint32Array(count)
  for (let cell = 0; cell < count; cell++) byPosition[positions[cell]!] = cell
  const sizes = new Uint32Array(count)
  let total = 0
  for (let position = 0; position < count; position++) {
    const cell = byPosition[position]!
    const hashes = stored(cell) ? (POPCOUNT[contents.d1(cell) >> 5]! + 1) * 34 : 0
    total += sizes[position] = 2 + hashes + contents.dataLength(cell) + refCounts[cell]! * refSize
  }
  const offsetSize = bytesFor(hasCacheBits(options) ? total * 2 : total)
  return { byPosition, sizes, total, refSize, offsetSize, stored }
}

const hasCacheBits = ({ index, cacheBits }: BocOptions): boolean => index === true && cacheBits === true

/** Writes all that precedes the cells, and returns where it ends. */
function writeHeader(out: Buffer, layout: Layout): number {
  const { byPosition, sizes, total, refSize, offsetSize, roots, options } = layout
  const { count, positions, repeated } = layout.tree
  const cacheBits = hasCacheBits(options)
  out.writeUInt32BE(BOC_MAGIC, 0)
  out[4] = (options.index ? 0x80 : 0) | (options.crc32c ? 0x40 : 0) | (cacheBits ? 0x20 : 0) | refSize
  out[5] = offsetSize
  let at = 6
  for (const value of [count, roots.length, 0]) at = out.writeUIntBE(value, at, refSize)
  at = out.writeUIntBE(total, at, offsetSize)
  for (const root of roots) at = out.writeUIntBE(positions[root]!, at, refSize)
  if (!options.index) return at
  let end = 0
  for (let position = 0; position < count; position++) {
    end += sizes[position]!
    const entry = cacheBits ? end * 2 + repeated[byPosition[position]!]! : end
    at = out.writeUIntBE(entry, at, offsetSize)
  }
  return at
}

function writeCell(
  out: Buffer,
  start: number,
  cell: number,
  contents: CellContents,
  stored: boolean,
): number {
  const d1 = contents.d1(cell)
  out[start] = stored ? d1 | 16 : d1
  let at = start + 2
  if (stored) {
    const mask = d1 >> 5
    const levels = [0, 1, 2, 3].filter((level) => level === 0 || (mask & (1 << (level - 1))) !== 0)
    for (const level of levels) {
      out.set(contents.hash(cell, level), at)
      at += 32
    }
    for (const level of levels) at = out.writeUInt16BE(contents.depth(cell, level), at)
  }
  contents.writeData(cell, out, start + 1, at)
  return at + contents.dataLength(cell)
}
