import { DecodeError } from '@shardwalk/model'
import {
  CELL,
  type CellType,
  exoticBits,
  exoticRefs,
  hashIndex,
  isMerkle,
  MAX_DEPTH,
  POPCOUNT,
} from './levels.ts'
import { sha256 } from './sha256.ts'
import { Slice } from './slice.ts'

/**
 * Immutable in-memory cell. Trees share structure; hashes are computed on demand and cached. `data` is the
 * hashed form: if `bits` is not a multiple of 8, the last byte contains the end marker.
 */
export class Cell {
  readonly levelMask: number
  private hashes: (Buffer | undefined)[] | undefined
  private readonly depths: readonly number[]

  private constructor(
    readonly type: CellType,
    readonly data: Buffer,
    readonly bits: number,
    readonly refs: readonly Cell[],
  ) {
    this.levelMask = maskOf(type, data, refs)
    this.depths = depthsOf(this)
  }

  /** Creates a cell without checks. `data` must already contain the end marker. */
  static unchecked(type: CellType, data: Buffer, bits: number, refs: readonly Cell[]): Cell {
    return new Cell(type, data, bits, refs)
  }

  /** Creates a cell. Throws DecodeError on an invalid exotic layout or excessive depth. */
  static of(exotic: boolean, data: Buffer, bits: number, refs: readonly Cell[]): Cell {
    const type = exotic ? exoticType(data, bits, refs) : CELL.ordinary
    const cell = new Cell(type, data, bits, refs)
    if (cell.depth() > MAX_DEPTH) throw new DecodeError('cell', `deeper than ${MAX_DEPTH}`)
    return cell
  }

  get isExotic(): boolean {
    return this.type !== CELL.ordinary
  }

  /**
   * Hash at `level`: 3 is the representation hash, 0 the hash before pruning. The buffer is shared: do not
   * modify it.
   */
  hash(level = 3): Buffer {
    const index = hashIndex(this.levelMask, level)
    this.hashes ??= new Array(POPCOUNT[this.levelMask]! + 1)
    return (this.hashes[index] ??= this.computeHash(index))
  }

  depth(level = 3): number {
    return this.depths[hashIndex(this.levelMask, level)]!
  }

  slice(): Slice {
    if (this.type !== CELL.ordinary)
      throw new DecodeError('cell', `exotic cell of type ${this.type} where data was expected`)
    return Slice.ofCell(this)
  }

  /** Reader over the raw data, type byte of exotic cells included. */
  exoticSlice(): Slice {
    return Slice.ofCell(this)
  }

  private computeHash(index: number): Buffer {
    const mask = this.levelMask
    const level = levelAt(mask, index)
    if (this.type === CELL.pruned && index < POPCOUNT[mask]!)
      return this.data.subarray(2 + index * 32, 34 + index * 32)
    const childLevel = isMerkle(this.type) ? Math.min(3, level + 1) : level
    const withData = index === 0 || this.type === CELL.pruned
    const parts: Uint8Array[] = [
      this.head(mask & ((1 << level) - 1)),
      withData ? this.data : this.hash(levelAt(mask, index - 1)),
    ]
    const depths = Buffer.allocUnsafe(this.refs.length * 2)
    for (const [i, child] of this.refs.entries()) depths.writeUInt16BE(child.depth(childLevel), i * 2)
    parts.push(depths)
    for (const child of this.refs) parts.push(child.hash(childLevel))
    return sha256(Buffer.concat(parts))
  }

  private head(mask: number): Buffer {
    const head = Buffer.allocUnsafe(2)
    head[0] = descriptor1(this, mask)
    head[1] = descriptor2(this.bits)
    return head
  }
}

/** Descriptor d1 without the stored-hashes bit. */
export const descriptor1 = (cell: Cell, mask: number): number =>
  cell.refs.length | (cell.type === CELL.ordinary ? 0 : 8) | (mask << 5)

/** Descriptor d2 of a cell with so many data bits: twice the full bytes, plus one if bits are left over. */
export const descriptor2 = (bits: number): number => (bits >> 3) + ((bits + 7) >> 3)

/** Level of the index-th hash: 0, then one for each bit of the mask. */
function levelAt(mask: number, index: number): number {
  if (index === 0) return 0
  let seen = 0
  for (let level = 1; level <= 3; level++)
    if ((mask & (1 << (level - 1))) !== 0 && ++seen === index) return level
  return 3
}

function maskOf(type: CellType, data: Buffer, refs: readonly Cell[]): number {
  if (type === CELL.pruned) return data[1]!
  let mask = 0
  for (const child of refs) mask |= child.levelMask
  return isMerkle(type) ? mask >> 1 : mask
}

function depthsOf(cell: Cell): readonly number[] {
  const count = POPCOUNT[cell.levelMask]! + 1
  const depths: number[] = []
  for (let index = 0; index < count; index++) {
    if (cell.type === CELL.pruned) {
      depths.push(index < count - 1 ? cell.data.readUInt16BE(2 + (count - 1) * 32 + index * 2) : 0)
      continue
    }
    const level = levelAt(cell.levelMask, index)
    const childLevel = isMerkle(cell.type) ? Math.min(3, level + 1) : level
    let depth = 0
    for (const child of cell.refs) depth = Math.max(depth, child.depth(childLevel) + 1)
    depths.push(depth)
  }
  return depths
}

function exoticType(data: Buffer, bits: number, refs: readonly Cell[]): CellType {
  const type = bits >= 8 ? data[0]! : -1
  const expected = exoticBits(type, type === CELL.pruned && bits >= 16 ? data[1]! : 0)
  if (expected !== bits || expected < 0 || refs.length !== exoticRefs(type))
    throw new DecodeError('cell', `bad exotic cell: type ${type}, ${bits} bits, ${refs.length} references`)
  if (type === CELL.pruned && (data[1] === 0 || data[1]! > 7))
    throw new DecodeError('cell', `pruned branch with mask ${data[1]}`)
  if (isMerkle(type)) checkMerkle(data, refs)
  return type as CellType
}

function checkMerkle(data: Buffer, refs: readonly Cell[]): void {
  for (const [i, child] of refs.entries()) {
    const hash = data.subarray(1 + i * 32, 33 + i * 32)
    const depth = data.readUInt16BE(1 + refs.length * 32 + i * 2)
    if (!child.hash(0).equals(hash) || child.depth(0) !== depth)
      throw new DecodeError('cell', `Merkle cell does not match its child ${i}`)
  }
}

/** The ordinary cell without data and references. */
export const EMPTY_CELL: Cell = Cell.unchecked(CELL.ordinary, Buffer.alloc(0), 0, [])
