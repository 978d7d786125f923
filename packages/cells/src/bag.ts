import { DecodeError } from '@shardwalk/model'
import { BagExporter } from './bag-exporter.ts'
import { BagHashes } from './bag-hashes.ts'
import { Cell } from './cell.ts'
import { PrunedCellError } from './errors.ts'
import { CELL, type CellType, dataBits, POPCOUNT } from './levels.ts'
import { Slice } from './slice.ts'

/** Positions of the cells in a validated file. */
export interface BagLayout {
  readonly bytes: Buffer
  readonly count: number
  /**
   * `count + 1` positions in `bytes`: the first descriptor byte of each cell, then the end of the last cell.
   */
  readonly offsets: Uint32Array
  /** Width of a reference in bytes. */
  readonly refSize: number
  readonly roots: readonly number[]
  readonly trustStoredHashes: boolean
}

/**
 * A parsed bag of cells. A cell is identified by its index; references always point to higher indices.
 * `parseBoc` has checked descriptors, level masks, references and depth; hashes are computed on demand and
 * cached.
 */
export class Bag {
  readonly bytes: Buffer
  readonly count: number
  readonly roots: readonly number[]
  readonly offsets: Uint32Array
  readonly refSize: number
  private readonly hashes: BagHashes
  private cells: (Cell | undefined)[] | undefined
  private cachedExporter: BagExporter | undefined

  constructor(layout: BagLayout) {
    this.bytes = layout.bytes
    this.count = layout.count
    this.roots = layout.roots
    this.offsets = layout.offsets
    this.refSize = layout.refSize
    this.hashes = new BagHashes(this, layout.trustStoredHashes)
  }

  /** The only root. Throws DecodeError if there are several. */
  get root(): number {
    if (this.roots.length !== 1)
      throw new DecodeError('bag_of_cells.roots', `expected 1 root, found ${this.roots.length}`)
    return this.roots[0]!
  }

  type(cell: number): CellType {
    return this.isExotic(cell) ? (this.bytes[this.dataOffset(cell)] as CellType) : CELL.ordinary
  }

  isExotic(cell: number): boolean {
    return (this.bytes[this.offsets[cell]!]! & 8) !== 0
  }

  refCount(cell: number): number {
    return this.bytes[this.offsets[cell]!]! & 7
  }

  levelMask(cell: number): number {
    return this.bytes[this.offsets[cell]!]! >> 5
  }

  bitLength(cell: number): number {
    const d2 = this.bytes[this.offsets[cell]! + 1]!
    if ((d2 & 1) === 0) return d2 << 2
    return dataBits(d2, this.bytes[this.dataOffset(cell) + (d2 >> 1)]!)
  }

  /** Position of the data bytes in `bytes`, after any stored hashes. */
  dataOffset(cell: number): number {
    const offset = this.offsets[cell]!
    const d1 = this.bytes[offset]!
    return (d1 & 16) === 0 ? offset + 2 : offset + 2 + (POPCOUNT[d1 >> 5]! + 1) * 34
  }

  ref(cell: number, i: number): number {
    const bytes = this.bytes
    const size = this.refSize
    const at = this.offsets[cell + 1]! - ((bytes[this.offsets[cell]!]! & 7) - i) * size
    if (size === 2) return (bytes[at]! << 8) | bytes[at + 1]!
    return size === 1 ? bytes[at]! : bytes.readUIntBE(at, size)
  }

  /** A copy of the hash at `level`: 3 is the representation hash, 0 the hash of the tree before pruning. */
  hash(cell: number, level = 3): Buffer {
    return this.hashes.copy(cell, level)
  }

  hashEquals(cell: number, expected: Uint8Array, level = 3): boolean {
    return this.hashes.equals(cell, expected, level)
  }

  /** Writes the hash into `target` at `at`, for callers that build a representation themselves. */
  copyHash(cell: number, level: number, target: Buffer, at: number): void {
    this.hashes.copyTo(cell, level, target, at)
  }

  depth(cell: number, level = 3): number {
    return this.hashes.depth(cell, level)
  }

  /** Computes every hash, children first. Throws DecodeError on a wrong Merkle cell or stored hash. */
  hashAll(): void {
    for (let cell = this.count - 1; cell >= 0; cell--) this.hashes.ensure(cell)
  }

  /** Serialises subtrees of this bag. */
  get exporter(): BagExporter {
    return (this.cachedExporter ??= new BagExporter(this))
  }

  /**
   * Reader over an ordinary cell. Throws PrunedCellError on a pruned branch, DecodeError on other exotic
   * cells.
   */
  slice(cell: number): Slice {
    if (this.isExotic(cell)) this.refuseExotic(cell)
    return Slice.ofBag(this, cell)
  }

  /** Reader over the raw data of any cell, including the type byte of exotic cells. */
  exoticSlice(cell: number): Slice {
    return Slice.ofBag(this, cell)
  }

  /** The cell as an in-memory tree over the same bytes; the same index returns the same object. */
  cell(cell: number): Cell {
    this.cells ??= new Array<Cell | undefined>(this.count)
    return this.materialise(cell, this.cells)
  }

  private materialise(cell: number, made: (Cell | undefined)[]): Cell {
    const known = made[cell]
    if (known) return known
    const refs: Cell[] = []
    for (let i = 0, n = this.refCount(cell); i < n; i++) refs.push(this.materialise(this.ref(cell, i), made))
    const at = this.dataOffset(cell)
    const bits = this.bitLength(cell)
    return (made[cell] = Cell.unchecked(
      this.type(cell),
      this.bytes.subarray(at, at + ((bits + 7) >> 3)),
      bits,
      refs,
    ))
  }

  private refuseExotic(cell: number): never {
    if (this.type(cell) === CELL.pruned) throw new PrunedCellError(`cell ${cell}`, this.hash(cell, 0))
    throw new DecodeError(`cell ${cell}`, `exotic cell of type ${this.type(cell)} where data was expected`)
  }
}
