import { DecodeError } from '@shardwalk/model'
import type { Bag } from './bag.ts'
import { copyBytes } from './copy-bytes.ts'
import { CELL, hashIndex, isMerkle, POPCOUNT } from './levels.ts'
import { sha256To } from './sha256.ts'

/** Largest representation: 2 descriptor bytes, 128 data bytes, 4 depths, 4 hashes. */
const SCRATCH_SIZE = 2 + 128 + 4 * 34
const EMPTY = Buffer.alloc(0)

/**
 * Hashes and depths of the cells of one bag, by significant level, computed on demand. A cell has
 * popcount(mask) + 1 of them, in consecutive slots, lowest level first. Recursion is bounded by the depth
 * limit that parsing enforces.
 */
export class BagHashes {
  private readonly bag: Bag
  private readonly trustStored: boolean
  /** First slot of a cell plus 1; 0 until its hashes are computed. */
  private readonly slots: Uint32Array
  private hashes: Buffer = EMPTY
  private depths = new Uint16Array(0)
  private used = 0
  private readonly scratch = Buffer.alloc(SCRATCH_SIZE)
  /** Views of the scratch buffer by length, so that hashing allocates none. */
  private readonly views: (Buffer | undefined)[] = new Array(SCRATCH_SIZE + 1)

  constructor(bag: Bag, trustStored: boolean) {
    this.bag = bag
    this.trustStored = trustStored
    this.slots = new Uint32Array(bag.count)
  }

  copy(cell: number, level: number): Buffer {
    const slot = this.slot(cell, level)
    const copy = Buffer.allocUnsafe(32)
    copyBytes(this.hashes, slot * 32, copy, 0, 32)
    return copy
  }

  copyTo(cell: number, level: number, target: Buffer, at: number): void {
    const slot = this.slot(cell, level)
    copyBytes(this.hashes, slot * 32, target, at, 32)
  }

  equals(cell: number, expected: Uint8Array, level: number): boolean {
    const slot = this.slot(cell, level)
    return expected.length === 32 && this.hashes.compare(expected, 0, 32, slot * 32, slot * 32 + 32) === 0
  }

  depth(cell: number, level: number): number {
    // Resolve the slot first: computing it may reallocate the arrays.
    const slot = this.slot(cell, level)
    return this.depths[slot]!
  }

  /** Computes the cell's hashes if necessary and returns its first slot. */
  ensure(cell: number): number {
    const known = this.slots[cell]!
    if (known !== 0) return known - 1
    const bag = this.bag
    const d1 = bag.bytes[bag.offsets[cell]!]!
    if (this.trustStored && (d1 & 16) !== 0) return this.takeStored(cell, d1)
    for (let i = 0, refs = d1 & 7; i < refs; i++) this.ensure(bag.ref(cell, i))
    const first = this.reserve(cell, POPCOUNT[d1 >> 5]! + 1)
    if ((d1 & 8) === 0) this.hashOrdinary(cell, d1, first)
    else this.hashExotic(cell, d1, first)
    if ((d1 & 16) !== 0) this.compareStored(cell, d1, first)
    return first
  }

  private slot(cell: number, level: number): number {
    const bag = this.bag
    return this.ensure(cell) + hashIndex(bag.bytes[bag.offsets[cell]!]! >> 5, level)
  }

  private reserve(cell: number, slots: number): number {
    const first = this.used
    this.used += slots
    if (this.used > this.depths.length) this.grow()
    this.slots[cell] = first + 1
    return first
  }

  private grow(): void {
    const size = Math.max(64, this.depths.length * 2, this.used)
    const hashes = Buffer.allocUnsafeSlow(size * 32)
    this.hashes.copy(hashes)
    this.hashes = hashes
    const depths = new Uint16Array(size)
    depths.set(this.depths)
    this.depths = depths
  }

  private takeStored(cell: number, d1: number): number {
    const count = POPCOUNT[d1 >> 5]! + 1
    const first = this.reserve(cell, count)
    const { bytes, offsets } = this.bag
    const at = offsets[cell]! + 2
    copyBytes(bytes, at, this.hashes, first * 32, count * 32)
    for (let i = 0; i < count; i++) this.depths[first + i] = bytes.readUInt16BE(at + count * 32 + i * 2)
    return first
  }

  private compareStored(cell: number, d1: number, first: number): void {
    const count = POPCOUNT[d1 >> 5]! + 1
    const { bytes, offsets } = this.bag
    const at = offsets[cell]! + 2
    const same = bytes.compare(this.hashes, first * 32, (first + count) * 32, at, at + count * 32) === 0
    if (!same)
      throw new DecodeError(`bag_of_cells.cell[${cell}]`, 'stored hash differs from the computed one')
    for (let i = 0; i < count; i++)
      if (this.depths[first + i] !== bytes.readUInt16BE(at + count * 32 + i * 2))
        throw new DecodeError(`bag_of_cells.cell[${cell}]`, 'stored depth differs from the computed one')
  }

  private hashOrdinary(cell: number, d1: number, first: number): void {
    const mask = d1 >> 5
    let slot = first
    for (let level = 0; level <= 3; level++) {
      if (level !== 0 && (mask & (1 << (level - 1))) === 0) continue
      this.hashLevel(cell, (d1 & 15) | ((mask & ((1 << level) - 1)) << 5), slot, slot === first, level)
      slot++
    }
  }

  private hashExotic(cell: number, d1: number, first: number): void {
    const bag = this.bag
    const type = bag.type(cell)
    const mask = d1 >> 5
    if (type === CELL.pruned) {
      this.hashPruned(cell, d1, first)
      return
    }
    if (isMerkle(type)) this.checkMerkle(cell, d1 & 7)
    let slot = first
    for (let level = 0; level <= 3; level++) {
      if (level !== 0 && (mask & (1 << (level - 1))) === 0) continue
      const childLevel = isMerkle(type) ? Math.min(3, level + 1) : level
      this.hashLevel(cell, (d1 & 15) | ((mask & ((1 << level) - 1)) << 5), slot, slot === first, childLevel)
      slot++
    }
  }

  /**
   * A pruned branch stores the hashes and depths of the levels below its own; the hash at its own level is
   * computed.
   */
  private hashPruned(cell: number, d1: number, first: number): void {
    const bag = this.bag
    const count = POPCOUNT[d1 >> 5]!
    const at = bag.dataOffset(cell) + 2
    copyBytes(bag.bytes, at, this.hashes, first * 32, count * 32)
    for (let i = 0; i < count; i++) this.depths[first + i] = bag.bytes.readUInt16BE(at + count * 32 + i * 2)
    this.hashLevel(cell, d1 & ~16, first + count, true, 0)
  }

  /** Requires the hashes stored in a Merkle cell to be those of its children. */
  private checkMerkle(cell: number, refs: number): void {
    const bag = this.bag
    const at = bag.dataOffset(cell) + 1
    for (let i = 0; i < refs; i++) {
      const slot = this.ensure(bag.ref(cell, i))
      const from = at + i * 32
      const same = this.hashes.compare(bag.bytes, from, from + 32, slot * 32, slot * 32 + 32) === 0
      if (!same || this.depths[slot] !== bag.bytes.readUInt16BE(at + refs * 32 + i * 2))
        throw new DecodeError(`bag_of_cells.cell[${cell}]`, `Merkle cell does not match its child ${i}`)
    }
  }

  /**
   * Representation of a cell: d1, d2, data or lower hash, child depths, child hashes. Source: node,
   * CellChecker.
   */
  private hashLevel(cell: number, d1: number, slot: number, withData: boolean, childLevel: number): void {
    const { bytes, offsets } = this.bag
    const scratch = this.scratch
    const d2 = bytes[offsets[cell]! + 1]!
    scratch[0] = d1
    scratch[1] = d2
    let length = 2
    if (withData) {
      length = copyBytes(bytes, this.bag.dataOffset(cell), scratch, 2, (d2 + 1) >> 1)
    } else {
      length = copyBytes(this.hashes, (slot - 1) * 32, scratch, 2, 32)
    }
    const refs = d1 & 7
    let depth = 0
    let hashAt = length + refs * 2
    for (let i = 0; i < refs; i++, hashAt += 32) {
      const child = this.slot(this.bag.ref(cell, i), childLevel)
      const childDepth = this.depths[child]!
      if (childDepth >= depth) depth = childDepth + 1
      scratch[length++] = childDepth >> 8
      scratch[length++] = childDepth
      copyBytes(this.hashes, child * 32, scratch, hashAt, 32)
    }
    this.depths[slot] = depth
    const view = (this.views[hashAt] ??= scratch.subarray(0, hashAt))
    sha256To(view, this.hashes, slot * 32)
  }
}
