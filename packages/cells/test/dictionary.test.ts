import { beginCell, Dictionary } from '@ton/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  Builder,
  buildDict,
  buildDictWithExtra,
  createMerkleProof,
  dictDelete,
  dictSet,
  forEachLeaf,
  lookup,
  openMerkleProof,
  PrunedCellError,
  parseBoc,
  serializeBoc,
  Usage,
} from '../src/index.ts'

const BITS = 21
const entries = fc.uniqueArray(fc.tuple(fc.nat({ max: 2 ** BITS - 1 }), fc.nat({ max: 65535 })), {
  minLength: 1,
  maxLength: 60,
  selector: ([key]) => key,
})
const value = (v: number) => new Builder().storeUint(v, 16)
const build = (list: readonly (readonly [number, number])[]) =>
  buildDict(
    list.map(([k, v]) => [k, value(v)] as const),
    BITS,
  )!

test('a dictionary equals the tree @ton/core builds and returns its entries in order', () => {
  fc.assert(
    fc.property(entries, (list) => {
      const root = build(list)
      const core = Dictionary.empty(Dictionary.Keys.Uint(BITS), Dictionary.Values.Uint(16))
      for (const [k, v] of list) core.set(k, v)
      expect(root.hash()).toEqual(beginCell().storeDictDirect(core).endCell().hash())
      const bag = parseBoc(serializeBoc(root))
      const sorted = [...list].sort((a, b) => a[0] - b[0])
      for (const slice of [root.slice(), bag.slice(bag.root)]) {
        const seen: [number, number][] = []
        forEachLeaf(slice.clone(), BITS, (leaf, key) => {
          expect(key.toBuffer()).toEqual(
            Buffer.from((BigInt(key.toNumber()) << 3n).toString(16).padStart(6, '0'), 'hex'),
          )
          seen.push([key.toNumber(), leaf.loadUint(16)])
        })
        expect(seen).toEqual(sorted)
        for (const [k, v] of list) expect(lookup(slice.clone(), BITS, k)!.loadUint(16)).toBe(v)
      }
    }),
    { numRuns: 150 },
  )
})

test('an absent key is undefined, a visitor can stop, and deleting undoes setting', () => {
  fc.assert(
    fc.property(entries, fc.nat({ max: 2 ** BITS - 1 }), (list, key) => {
      const root = build(list)
      const held = list.some(([k]) => k === key)
      expect(lookup(root.slice(), BITS, key) !== undefined).toBe(held)
      let visits = 0
      forEachLeaf(root.slice(), BITS, () => {
        visits++
        return false
      })
      expect(visits).toBe(1)
      if (held) return
      const added = dictSet(root, BITS, key, value(7))
      expect(lookup(added.slice(), BITS, key)!.loadUint(16)).toBe(7)
      expect(dictDelete(added, BITS, key)!.hash()).toEqual(root.hash())
    }),
    { numRuns: 60 },
  )
})

test('an augmented dictionary carries the combined extra at every fork', () => {
  const list = Array.from({ length: 20 }, (_, i) => [i * 7919, i] as const)
  const sum = buildDictWithExtra(
    list.map(([k, v]) => [k, value(v)] as const),
    BITS,
    {
      leaf: (leaf) => new Builder().storeUint(leaf.loadUint(16), 32),
      fork: (left, right) => new Builder().storeUint(left.loadUint(32) + right.loadUint(32), 32),
    },
  )!
  expect(sum.extra!.slice().loadUint(32)).toBe(190)
  const seen: number[] = []
  forEachLeaf(sum.cell.slice(), BITS, (leaf) => {
    const extra = leaf.loadUint(32)
    expect(leaf.loadUint(16)).toBe(extra)
    seen.push(extra)
  })
  expect(seen).toEqual(list.map(([, v]) => v))
})

test('a proof of one key contains that key and reports the others as pruned', () => {
  const list = Array.from({ length: 64 }, (_, i) => [i * 32000, i] as const)
  const root = buildDict(
    list.map(([k, v]) => [k, value(v).storeRef(value(v).storeRef(value(1).endCell()).endCell())] as const),
    BITS,
  )!
  const usage = new Usage()
  expect(lookup(usage.slice(root), BITS, list[40]![0])!.loadUint(16)).toBe(40)
  const proof = createMerkleProof(root, usage)
  const shown = openMerkleProof(proof, root.hash())
  expect(lookup(shown.slice(), BITS, list[40]![0])!.loadUint(16)).toBe(40)
  expect(() => lookup(shown.slice(), BITS, list[3]![0])).toThrow(PrunedCellError)
  expect(() => forEachLeaf(shown.slice(), BITS, () => undefined)).toThrow(PrunedCellError)
  const visible: number[] = []
  forEachLeaf(shown.slice(), BITS, (leaf) => void visible.push(leaf.loadUint(16)), { pruned: 'skip' })
  expect(visible).toEqual([40])
})

test('labels longer than the key and duplicate keys are refused', () => {
  const bad = new Builder().storeUint(0b11_1, 3).storeUint(9, 4).endCell()
  expect(() => forEachLeaf(bad.slice(), 8, () => undefined)).toThrow(
    /dictionary.label: 9 bits where 8 remain/,
  )
  expect(() =>
    build([
      [1, 1],
      [1, 2],
    ]),
  ).toThrow(/duplicate key/)
})
