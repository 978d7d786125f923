import { DecodeError } from '@shardwalk/model'
import type { Bag } from './bag.ts'
import { type BitString, copyBits, sliceBits } from './bit-string.ts'
import type { Cell } from './cell.ts'
import { PrunedCellError } from './errors.ts'
import { CELL, type CellType } from './levels.ts'
import type { Usage } from './usage.ts'

/**
 * Reader over one cell of a bag or one in-memory cell; loads advance it. Loads throw DecodeError if too few
 * bits or references remain. Values up to 32 bits are numbers, wider ones bigints.
 */
export class Slice {
  /** Bytes that contain the data; positions are absolute bit positions in them. */
  private readonly _bytes: Buffer
  private _pos: number
  private readonly _end: number
  private _refPos: number
  private readonly _refEnd: number
  private readonly _bag: Bag | undefined
  private readonly _index: number
  private readonly _node: Cell | undefined
  private readonly _usage: Usage | undefined

  private constructor(
    bytes: Buffer,
    pos: number,
    end: number,
    refPos: number,
    refEnd: number,
    bag: Bag | undefined,
    index: number,
    node: Cell | undefined,
    usage: Usage | undefined,
  ) {
    this._bytes = bytes
    this._pos = pos
    this._end = end
    this._refPos = refPos
    this._refEnd = refEnd
    this._bag = bag
    this._index = index
    this._node = node
    this._usage = usage
  }

  static ofBag(bag: Bag, index: number): Slice {
    const start = bag.dataOffset(index) * 8
    return new Slice(
      bag.bytes,
      start,
      start + bag.bitLength(index),
      0,
      bag.refCount(index),
      bag,
      index,
      undefined,
      undefined,
    )
  }

  static ofCell(cell: Cell, usage?: Usage): Slice {
    usage?.add(cell)
    return new Slice(cell.data, 0, cell.bits, 0, cell.refs.length, undefined, -1, cell, usage)
  }

  get remainingBits(): number {
    return this._end - this._pos
  }

  get remainingRefs(): number {
    return this._refEnd - this._refPos
  }

  get isEmpty(): boolean {
    return this._pos === this._end && this._refPos === this._refEnd
  }

  /** The bag being read; undefined for an in-memory cell. */
  get bag(): Bag | undefined {
    return this._bag
  }

  /** Index of the cell being read; -1 for an in-memory cell. */
  get bagCell(): number {
    return this._index
  }

  /** The in-memory cell being read; undefined for a bag. */
  get memoryCell(): Cell | undefined {
    return this._node
  }

  loadBit(): boolean {
    const pos = this._take(1)
    return (this._bytes[pos >> 3]! & (0x80 >> (pos & 7))) !== 0
  }

  preloadBit(): boolean {
    const pos = this._need(1)
    return (this._bytes[pos >> 3]! & (0x80 >> (pos & 7))) !== 0
  }

  /** Unsigned, 0 to 32 bits. */
  loadUint(bits: number): number {
    return readUint(this._bytes, this._take(bits), bits)
  }

  preloadUint(bits: number): number {
    return readUint(this._bytes, this._need(bits), bits)
  }

  /** Two's complement, 1 to 32 bits. */
  loadInt(bits: number): number {
    const value = readUint(this._bytes, this._take(bits), bits)
    return bits === 32 ? value | 0 : (value << (32 - bits)) >> (32 - bits)
  }

  /** Unsigned of any width. */
  loadUintBig(bits: number): bigint {
    return readUintBig(this._bytes, this._take(bits), bits)
  }

  preloadUintBig(bits: number): bigint {
    return readUintBig(this._bytes, this._need(bits), bits)
  }

  loadIntBig(bits: number): bigint {
    return BigInt.asIntN(bits, this.loadUintBig(bits))
  }

  /** `VarUInteger n`: the length in bytes as `lengthBits` bits, then the bytes. */
  loadVarUint(lengthBits: number): bigint {
    const bytes = this.loadUint(lengthBits)
    return bytes === 0 ? 0n : this.loadUintBig(bytes * 8)
  }

  /** `Grams`, nanotons. */
  loadCoins(): bigint {
    return this.loadVarUint(4)
  }

  /** `Maybe uintN`, up to 32 bits. */
  loadMaybeUint(bits: number): number | undefined {
    return this.loadBit() ? this.loadUint(bits) : undefined
  }

  /** A copy of the next `count` bytes. */
  loadBytes(count: number): Buffer {
    return sliceBits(this._bytes, this._take(count * 8), count * 8)
  }

  preloadBytes(count: number): Buffer {
    return sliceBits(this._bytes, this._need(count * 8), count * 8)
  }

  loadBits(count: number): BitString {
    return { bits: count, bytes: sliceBits(this._bytes, this._take(count), count) }
  }

  /** Whether the next bytes equal `expected`; does not advance. */
  startsWith(expected: Uint8Array): boolean {
    const pos = this._need(expected.length * 8)
    if ((pos & 7) === 0) {
      const at = pos >> 3
      return this._bytes.compare(expected, 0, expected.length, at, at + expected.length) === 0
    }
    return sliceBits(this._bytes, pos, expected.length * 8).equals(expected)
  }

  /**
   * Writes the remaining bits as cell data (left-aligned, with an end marker if needed) to `target` from byte
   * `at` on. Does not advance. Returns the position after them.
   */
  writeRemainder(target: Buffer, at: number): number {
    const bits = this._end - this._pos
    if (bits === 0) return at
    copyBits(this._bytes, this._pos, target, bits, at)
    if ((bits & 7) !== 0) target[at + (bits >> 3)]! |= 0x80 >> (bits & 7)
    return at + ((bits + 7) >> 3)
  }

  skip(bits: number): this {
    this._take(bits)
    return this
  }

  skipRefs(count: number): this {
    if (count > this.remainingRefs) this._failRefs(count)
    this._refPos += count
    return this
  }

  /** Bag index of the next referenced cell. Throws DecodeError for an in-memory cell. */
  loadRef(): number {
    const index = this._refIndex(0)
    this._refPos++
    return index
  }

  /** Reader over the next referenced cell. Throws PrunedCellError or DecodeError if it is exotic. */
  loadRefSlice(): Slice {
    const slice = this.preloadRefSlice(0)
    this._refPos++
    return slice
  }

  /** Reader over the raw data of the next referenced cell, of any type. */
  loadRefExoticSlice(): Slice {
    const slice = this._bag
      ? Slice.ofBag(this._bag, this._refIndex(0))
      : Slice.ofCell(this._refNode(0), this._usage)
    this._refPos++
    return slice
  }

  loadRefCell(): Cell {
    const cell = this.preloadRefCell(0)
    this._refPos++
    return cell
  }

  /** `Maybe ^X`. */
  loadMaybeRefSlice(): Slice | undefined {
    return this.loadBit() ? this.loadRefSlice() : undefined
  }

  loadMaybeRefCell(): Cell | undefined {
    return this.loadBit() ? this.loadRefCell() : undefined
  }

  preloadRefSlice(i = 0): Slice {
    if (this._bag) return this._bag.slice(this._refIndex(i))
    const cell = this._refNode(i)
    if (cell.type === CELL.pruned) throw new PrunedCellError(this._where(), cell.hash(0))
    if (cell.type !== CELL.ordinary)
      throw new DecodeError(this._where(), `exotic cell of type ${cell.type} where data was expected`)
    return Slice.ofCell(cell, this._usage)
  }

  preloadRefCell(i = 0): Cell {
    return this._bag ? this._bag.cell(this._refIndex(i)) : this._refNode(i)
  }

  /** Cell type of the i-th remaining reference. */
  refType(i = 0): CellType {
    return this._bag ? this._bag.type(this._refIndex(i)) : this._refNode(i).type
  }

  /** Bag index of the i-th remaining reference; undefined for an in-memory cell. */
  refBagCell(i = 0): number | undefined {
    return this._bag && this._refIndex(i)
  }

  /** Hash of the i-th remaining reference. */
  refHash(i = 0, level = 3): Buffer {
    return this._bag ? this._bag.hash(this._refIndex(i), level) : this._refNode(i).hash(level)
  }

  /** Writes the hash of the i-th remaining reference to `target` at `at`. */
  copyRefHash(i: number, target: Buffer, at: number): void {
    if (this._bag) this._bag.copyHash(this._refIndex(i), 3, target, at)
    else this._refNode(i).hash().copy(target, at)
  }

  refDepth(i = 0, level = 3): number {
    return this._bag ? this._bag.depth(this._refIndex(i), level) : this._refNode(i).depth(level)
  }

  /** Level mask of the i-th remaining reference; 0 if its tree is not pruned. */
  refLevelMask(i = 0): number {
    return this._bag ? this._bag.levelMask(this._refIndex(i)) : this._refNode(i).levelMask
  }

  /** Hash of the cell on which this reader was opened. */
  cellHash(level = 3): Buffer {
    return this._bag ? this._bag.hash(this._index, level) : this._node!.hash(level)
  }

  cellType(): CellType {
    return this._bag ? this._bag.type(this._index) : this._node!.type
  }

  /** An independent reader at the same position. */
  clone(): Slice {
    return new Slice(
      this._bytes,
      this._pos,
      this._end,
      this._refPos,
      this._refEnd,
      this._bag,
      this._index,
      this._node,
      this._usage,
    )
  }

  /** Reader over the next `bits` bits and `refs` references; this slice advances past them. */
  loadPart(bits: number, refs: number): Slice {
    const pos = this._take(bits)
    const refPos = this._refPos
    this.skipRefs(refs)
    return new Slice(
      this._bytes,
      pos,
      pos + bits,
      refPos,
      refPos + refs,
      this._bag,
      this._index,
      this._node,
      this._usage,
    )
  }

  /** Throws DecodeError if bits or references remain. */
  expectEnd(path: string): void {
    if (!this.isEmpty)
      throw new DecodeError(path, `${this.remainingBits} bits and ${this.remainingRefs} references left over`)
  }

  private _need(bits: number): number {
    if (bits < 0 || this._pos + bits > this._end) this._failBits(bits)
    return this._pos
  }

  private _take(bits: number): number {
    const pos = this._pos
    if (bits < 0 || pos + bits > this._end) this._failBits(bits)
    this._pos = pos + bits
    return pos
  }

  private _refIndex(i: number): number {
    const at = this._refPos + i
    if (at >= this._refEnd) this._failRefs(i + 1)
    if (!this._bag) throw new DecodeError(this._where(), 'an in-memory cell has no indices')
    return this._bag.ref(this._index, at)
  }

  private _refNode(i: number): Cell {
    const at = this._refPos + i
    if (at >= this._refEnd) this._failRefs(i + 1)
    return this._node!.refs[at]!
  }

  private _where(): string {
    return this._bag ? `cell ${this._index}` : 'cell'
  }

  private _failBits(bits: number): never {
    throw new DecodeError(this._where(), `${bits} bits wanted, ${this.remainingBits} left`)
  }

  private _failRefs(refs: number): never {
    throw new DecodeError(this._where(), `${refs} references wanted, ${this.remainingRefs} left`)
  }
}

/** Reads up to 32 bits at any bit position. */
function readUint(bytes: Uint8Array, pos: number, bits: number): number {
  const shift = pos & 7
  let at = pos >> 3
  const end = shift + bits
  if (end <= 8) return bits === 0 ? 0 : (bytes[at]! & (0xff >> shift)) >> (8 - end)
  let value = bytes[at]! & (0xff >> shift)
  if (end <= 32) {
    let have = 8
    for (; have + 8 <= end; have += 8) value = (value << 8) | bytes[++at]!
    const rest = end - have
    return (rest === 0 ? value : (value << rest) | (bytes[at + 1]! >> (8 - rest))) >>> 0
  }
  // The 25 to 32 bits span five bytes: shift the first four, add the tail in doubles to stay exact.
  value = (value << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  const rest = end - 32
  return (value >>> 0) * (1 << rest) + (bytes[at + 4]! >> (8 - rest))
}

function readUintBig(bytes: Uint8Array, pos: number, bits: number): bigint {
  if (bits <= 32) return BigInt(readUint(bytes, pos, bits))
  if (bits <= 64) {
    const high = readUint(bytes, pos, bits - 32)
    const low = readUint(bytes, pos + bits - 32, 32)
    // Below 2^53 converting one exact double is cheaper than shifting bigints.
    return high < 0x200000 ? BigInt(high * 0x100000000 + low) : (BigInt(high) << 32n) | BigInt(low)
  }
  let value = 0n
  let at = pos
  const head = bits & 31
  if (head !== 0) {
    value = BigInt(readUint(bytes, at, head))
    at += head
  }
  for (const end = pos + bits; at < end; at += 32) value = (value << 32n) | BigInt(readUint(bytes, at, 32))
  return value
}
