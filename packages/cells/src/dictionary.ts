import { DecodeError } from '@shardwalk/model'
import { sliceBits } from './bit-string.ts'
import { PrunedCellError } from './errors.ts'
import { CELL } from './levels.ts'
import type { Slice } from './slice.ts'

/** Key of the visited leaf. Valid only during the visit; the conversions return copies. */
export interface DictKey {
  readonly bits: number
  /** Unsigned; keys up to 32 bits. */
  toNumber(): number
  /** Two's complement; keys up to 32 bits. */
  toInt(): number
  toBigInt(): bigint
  /** Left-aligned bytes. */
  toBuffer(): Buffer
}

/** How a dictionary of unknown size and origin is visited. */
export interface VisitOptions {
  /** Treatment of pruned branches: `fail` (the default) throws PrunedCellError. */
  readonly pruned?: 'skip' | 'fail'
  /**
   * More leaves throw DecodeError. Needed for what contracts and clients make: because cells are shared, a
   * few of them describe any number of leaves. Default: no limit, for blocks and states, which validators
   * checked.
   */
  readonly most?: number
  /** For blocks that are not verified yet; see `budgetOf`. */
  readonly budget?: Budget
}

/** Edges that may still be walked, in all visits with this object together. */
export interface Budget {
  left: number
}

/** A dictionary may begin in the cell of another one's leaf, and a leaf stands for a cell below it. */
const EDGES_PER_CELL = 4

/**
 * Budget for the dictionaries of a block, whose values name their keys, so that no two edges of them are one
 * cell. With shared cells a few describe any number of edges, which only a block that was made up does.
 */
export const budgetOf = ({ bag }: Pick<Slice, 'bag'>): Budget => ({
  left: EDGES_PER_CELL * (bag?.count ?? Number.POSITIVE_INFINITY),
})

/** Throws DecodeError when the budget is used up. */
export function spend(budget: Budget, edges: number): void {
  budget.left -= edges
  if (budget.left < 0) throw new DecodeError('dictionary', 'more edges than the bag has cells')
}

/**
 * Called for each leaf with its value (preceded by the extra if augmented). Returning false ends the visit.
 */
export type LeafVisitor = (value: Slice, key: DictKey) => void | false

/** Reads a `HashmapE` (one bit, then a reference); undefined if the dictionary is empty. */
export const loadDictRoot = (slice: Slice): Slice | undefined => slice.loadMaybeRefSlice()

/**
 * Visits the leaves of a `Hashmap` in ascending key order and consumes `root`. In a `HashmapAug`, fork extras
 * are ignored and a leaf's extra precedes its value. Throws DecodeError on malformed labels and on more
 * leaves than `options.most`.
 * Source: block.tlb `hm_edge`, `hml_short`, `hml_long`, `hml_same`.
 */
export function forEachLeaf(
  root: Slice | undefined,
  keyBits: number,
  visit: LeafVisitor,
  options: VisitOptions = {},
): void {
  if (root === undefined) return
  const { pruned, most, budget } = options
  const how = {
    visit: most === undefined ? visit : upTo(most, visit),
    skipPruned: pruned === 'skip',
    budget,
  }
  walk(root, 0, new KeyBits(keyBits), how)
}

function upTo(most: number, visit: LeafVisitor): LeafVisitor {
  let count = 0
  return (value, key) => {
    if (++count > most) throw new DecodeError('dictionary', `more than ${most} entries`)
    return visit(value, key)
  }
}

/**
 * Value of a key, or undefined; the extra precedes it in an augmented dictionary. Keys are unsigned numbers
 * or left-aligned bytes. Throws PrunedCellError if the path leads into a pruned branch.
 */
export function lookup(
  root: Slice | undefined,
  keyBits: number,
  key: bigint | number | Uint8Array,
): Slice | undefined {
  const wanted = keyBytes(key, keyBits)
  let at = 0
  for (let edge = root; edge !== undefined; ) {
    const head = loadLabelHead(edge, keyBits - at)
    const kind = head & 3
    for (const end = at + (head >> 2); at < end; at++) {
      const bit = kind === AS_WRITTEN ? Number(edge.loadBit()) : kind
      if (bitOf(wanted, at) !== bit) return undefined
    }
    if (at === keyBits) return edge
    edge = edge.preloadRefSlice(bitOf(wanted, at))
    at++
  }
  return undefined
}

/** Bit `i` of the bytes, the highest of the first byte being bit 0. */
export const bitOf = (bytes: Uint8Array, i: number): 0 | 1 => ((bytes[i >> 3]! >> (7 - (i & 7))) & 1) as 0 | 1

/** Left-aligned bytes of a dictionary key. Throws DecodeError if a number does not fit. */
export function keyBytes(key: bigint | number | Uint8Array, keyBits: number): Uint8Array {
  const length = (keyBits + 7) >> 3
  if (typeof key === 'object') {
    if (key.length !== length)
      throw new DecodeError('dictionary.key', `${key.length} bytes for ${keyBits} bits`)
    return key
  }
  const value = BigInt(key)
  if (value < 0n || value >> BigInt(keyBits) !== 0n)
    throw new DecodeError('dictionary.key', `${value} does not fit ${keyBits} bits`)
  return Buffer.from((value << BigInt(length * 8 - keyBits)).toString(16).padStart(length * 2, '0'), 'hex')
}

/** Width of the length field of a label with at most `max` key bits: ceil(log2(max + 1)). */
export const labelLengthBits = (max: number): number => 32 - Math.clz32(max)

/** Kinds of label: all zeros, all ones, or bits written out in the edge. */
const RUN_OF_ZEROS = 0
const RUN_OF_ONES = 1
const AS_WRITTEN = 2

/**
 * Reads the head of `HmLabel ~l max`, which holds the bits shared by all keys below an edge. If the bits are
 * written out, the edge is left positioned at them. Returns length * 4 + kind, which avoids allocating an
 * object.
 * Throws DecodeError if the label is longer than `max`. Source: block.tlb `hml_short$0`, `hml_long$10`,
 * `hml_same$11`.
 */
function loadLabelHead(edge: Slice, max: number): number {
  let length = 0
  let kind: number = AS_WRITTEN
  if (!edge.loadBit()) {
    while (edge.loadBit()) length++
  } else {
    if (edge.loadBit()) kind = edge.loadBit() ? RUN_OF_ONES : RUN_OF_ZEROS
    length = edge.loadUint(labelLengthBits(max))
  }
  if (length > max) throw new DecodeError('dictionary.label', `${length} bits where ${max} remain`)
  return length * 4 + kind
}

interface Walk {
  readonly visit: LeafVisitor
  readonly skipPruned: boolean
  readonly budget: Budget | undefined
}

/** Returns false if the visitor ended the walk. */
function walk(edge: Slice, depth: number, key: KeyBits, how: Walk): boolean {
  if (how.budget) spend(how.budget, 1)
  const head = loadLabelHead(edge, key.bits - depth)
  const at = depth + (head >> 2)
  key.writeLabel(depth, at, head & 3, edge)
  if (at === key.bits) return how.visit(edge, key) !== false
  for (const bit of [0, 1] as const) {
    if (edge.refType(bit) === CELL.pruned) {
      if (how.skipPruned) continue
      throw new PrunedCellError('dictionary.fork', edge.refHash(bit, 0))
    }
    const child = edge.preloadRefSlice(bit)
    key.writeBit(at, bit)
    if (!walk(child, at + 1, key, how)) return false
  }
  return true
}

class KeyBits implements DictKey {
  private readonly bytes: Buffer

  constructor(readonly bits: number) {
    this.bytes = Buffer.alloc((bits + 7) >> 3)
  }

  /** Sets the key bits from `at` to `end`, either copied from the edge or all equal. */
  writeLabel(at: number, end: number, kind: number, edge: Slice): void {
    let position = at
    while (position < end) {
      const room = 8 - (position & 7)
      const bits = Math.min(room, end - position)
      const value = kind === AS_WRITTEN ? edge.loadUint(bits) : kind === RUN_OF_ONES ? (1 << bits) - 1 : 0
      const shift = room - bits
      const mask = ((1 << bits) - 1) << shift
      const byte = position >> 3
      this.bytes[byte] = (this.bytes[byte]! & ~mask) | (value << shift)
      position += bits
    }
  }

  writeBit(at: number, bit: 0 | 1): void {
    const mask = 0x80 >> (at & 7)
    if (bit === 1) this.bytes[at >> 3]! |= mask
    else this.bytes[at >> 3]! &= ~mask
  }

  toNumber(): number {
    return Number(this.toBigInt())
  }

  toInt(): number {
    return Number(BigInt.asIntN(this.bits, this.toBigInt()))
  }

  toBigInt(): bigint {
    const length = this.bytes.length
    if (length === 0) return 0n
    return BigInt(`0x${this.bytes.toString('hex')}`) >> BigInt(length * 8 - this.bits)
  }

  toBuffer(): Buffer {
    return sliceBits(this.bytes, 0, this.bits)
  }
}
