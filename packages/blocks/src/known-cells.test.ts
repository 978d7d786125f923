import { Builder, type Cell, parseBoc, prunedBranch, serializeBoc } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { KnownCells } from './known-cells.ts'

const leaf = (value: number) => new Builder().storeUint(value, 32).endCell()
const node = (value: number, ...refs: Cell[]) =>
  refs.reduce((builder, ref) => builder.storeRef(ref), new Builder().storeUint(value, 8)).endCell()
const hex = (cell: Cell | undefined) => cell?.hash().toString('hex')

const kept = node(1, leaf(10), leaf(11))
const changedBefore = node(2, leaf(20))
const before = node(0, kept, changedBefore)
const changed = node(2, leaf(21))
const after = node(0, kept, changed)
/** The part of `after` that the block contains: the unchanged half is pruned. */
const shown = node(0, prunedBranch(kept, 1), changed)

const known = (...trees: Cell[]): KnownCells => {
  const cells = new KnownCells()
  for (const tree of trees) cells.add(serializeBoc(tree))
  return cells
}

test('pruned parts of a new tree are filled from the previous tree and give the full tree', () => {
  const tree = known(shown, before).tree(after.hash())
  expect(tree?.levelMask).toBe(0)
  expect(hex(tree)).toBe(hex(after))
  const written = parseBoc(serializeBoc(tree as Cell))
  expect(written.hash(written.root).equals(after.hash())).toBe(true)
})

test('a tree with an unknown part reports its hash and keeps what is known', () => {
  const cells = known(shown)
  const tree = cells.tree(after.hash())
  expect(tree?.levelMask).not.toBe(0)
  expect(cells.missing).toEqual([kept.hash()])
  cells.add(serializeBoc(kept))
  expect(cells.tree(after.hash())?.levelMask).toBe(0)
  expect(cells.missing).toEqual([])
})

test('two trees with different halves of one cell complete each other in either order', () => {
  const left = node(0, kept, prunedBranch(changed, 1))
  for (const trees of [
    [left, shown],
    [shown, left],
  ])
    expect(hex(known(...trees).tree(after.hash()))).toBe(hex(after))
})

test('an unchanged tree is found inside any known tree; an unknown one is undefined', () => {
  expect(hex(known(before).tree(kept.hash()))).toBe(hex(kept))
  expect(known(before).tree(after.hash())).toBeUndefined()
})
