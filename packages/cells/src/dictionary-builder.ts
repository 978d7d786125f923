import { DecodeError } from '@shardwalk/model'
import { Builder, sliceToCell } from './builder.ts'
import { Cell } from './cell.ts'
import { bitOf, forEachLeaf, keyBytes, labelLengthBits, lookup } from './dictionary.ts'
import { Slice } from './slice.ts'

/**
 * What a dictionary may have as a value: its bits and references stand in the leaf, not in a cell of their
 * own.
 */
export type DictValue = Builder | Cell | Slice

/** Computes the extras of an augmented dictionary (`HashmapAug n X Y`); the builder contains one extra. */
export interface Augmentation {
  /** Extra of a leaf, from its value. */
  leaf(value: Slice): Builder
  /** Extra of a fork, from the extras of its branches. */
  fork(left: Slice, right: Slice): Builder
}

interface Entry {
  readonly key: Uint8Array
  readonly value: DictValue
}

interface Edge {
  readonly cell: Cell
  /** Content of the edge's extra; undefined without augmentation. */
  readonly extra: Cell | undefined
}

/**
 * Root cell of a dictionary, or undefined if there are no entries. Values are stored inline; for `^X`, store
 * the reference in a builder. Labels take the shortest form, as in the node. Throws DecodeError on duplicate
 * keys.
 */
export function buildDict(
  entries: Iterable<readonly [bigint | number | Uint8Array, DictValue]>,
  keyBits: number,
  augmentation?: Augmentation,
): Cell | undefined {
  return buildDictWithExtra(entries, keyBits, augmentation)?.cell
}

/** Like `buildDict`, but also returns the root's extra, which `HashmapAugE` repeats after its reference. */
export function buildDictWithExtra(
  entries: Iterable<readonly [bigint | number | Uint8Array, DictValue]>,
  keyBits: number,
  augmentation?: Augmentation,
): Edge | undefined {
  const sorted: Entry[] = []
  for (const [key, value] of entries) sorted.push({ key: keyBytes(key, keyBits), value })
  if (sorted.length === 0) return undefined
  sorted.sort((a, b) => Buffer.compare(a.key, b.key))
  for (let i = 1; i < sorted.length; i++)
    if (Buffer.compare(sorted[i - 1]!.key, sorted[i]!.key) === 0)
      throw new DecodeError('dictionary', 'duplicate key')
  return buildEdge(sorted, 0, sorted.length, 0, keyBits, augmentation)
}

/** Returns the dictionary with one entry added or replaced; the old tree is unchanged. */
export function dictSet(
  root: Cell | undefined,
  keyBits: number,
  key: bigint | number | Uint8Array,
  value: DictValue,
): Cell {
  const wanted = keyBytes(key, keyBits)
  const entries = entriesWithout(root, keyBits, wanted)
  entries.push([wanted, value])
  return buildDict(entries, keyBits)!
}

/** Returns the dictionary without the key. */
export function dictDelete(
  root: Cell | undefined,
  keyBits: number,
  key: bigint | number | Uint8Array,
): Cell | undefined {
  const wanted = keyBytes(key, keyBits)
  if (root === undefined || lookup(root.slice(), keyBits, wanted) === undefined) return root
  return buildDict(entriesWithout(root, keyBits, wanted), keyBits)
}

function entriesWithout(root: Cell | undefined, keyBits: number, key: Uint8Array): [Uint8Array, DictValue][] {
  const entries: [Uint8Array, DictValue][] = []
  forEachLeaf(root?.slice(), keyBits, (value, at) => {
    const bytes = at.toBuffer()
    if (!bytes.equals(key)) entries.push([bytes, value])
  })
  return entries
}

/** Builds the edge over `sorted[from, to)`, whose keys agree in the first `depth` bits. */
function buildEdge(
  sorted: readonly Entry[],
  from: number,
  to: number,
  depth: number,
  keyBits: number,
  augmentation?: Augmentation,
): Edge {
  const first = sorted[from]!.key
  const last = sorted[to - 1]!.key
  let at = depth
  while (at < keyBits && bitOf(first, at) === bitOf(last, at)) at++
  const builder = new Builder()
  storeLabel(builder, first, depth, at - depth, keyBits - depth)
  if (at === keyBits) return leafEdge(builder, sorted[from]!.value, augmentation)
  let middle = from
  while (bitOf(sorted[middle]!.key, at) === 0) middle++
  const left = buildEdge(sorted, from, middle, at + 1, keyBits, augmentation)
  const right = buildEdge(sorted, middle, to, at + 1, keyBits, augmentation)
  builder.storeRef(left.cell).storeRef(right.cell)
  const extra = augmentation?.fork(left.extra!.slice(), right.extra!.slice()).endCell()
  if (extra) builder.storeCell(extra)
  return { cell: builder.endCell(), extra }
}

function leafEdge(builder: Builder, value: DictValue, augmentation?: Augmentation): Edge {
  const content = valueCell(value)
  const extra = augmentation?.leaf(content.slice()).endCell()
  if (extra) builder.storeCell(extra)
  return { cell: builder.storeCell(content).endCell(), extra }
}

function valueCell(value: DictValue): Cell {
  if (value instanceof Cell) return value
  return value instanceof Slice ? sliceToCell(value) : value.endCell()
}

/**
 * Stores the shortest of the three label forms; among equals the node prefers short, then long, then same.
 */
function storeLabel(builder: Builder, key: Uint8Array, from: number, length: number, max: number): void {
  const width = labelLengthBits(max)
  const first = length > 0 ? bitOf(key, from) : 0
  let alike = 0
  while (alike < length && bitOf(key, from + alike) === first) alike++
  const short = 2 * length + 2
  const long = 2 + width + length
  const repeat = length > 0 && alike === length ? 3 + width : Number.POSITIVE_INFINITY
  if (repeat < Math.min(short, long)) {
    builder.storeUint(0b11, 2).storeBit(first).storeUint(length, width)
    return
  }
  if (short <= long) {
    builder.storeBit(0)
    for (let i = 0; i < length; i++) builder.storeBit(1)
    builder.storeBit(0)
  } else {
    builder.storeUint(0b10, 2).storeUint(length, width)
  }
  builder.storeBitsAt(key, from, length)
}
