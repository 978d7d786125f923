import {
  Builder,
  buildDict,
  CELL,
  Cell,
  createMerkleProof,
  createMerkleUpdate,
  EMPTY_CELL,
} from '@shardwalk/cells'
import type { Random } from './random.ts'

/** A tree of ordinary cells; sometimes with library references, Merkle proofs or shared cells in it. */
export function randomTree(random: Random, cells: number): Cell {
  const pool: Cell[] = [random.chance(0.3) ? EMPTY_CELL : leaf(random)]
  for (let i = 1; i < cells; i++) {
    if (random.chance(0.03)) pool.push(libraryCell(random.hash()))
    else if (random.chance(0.02)) pool.push(proofCell(random))
    else pool.push(inner(random, pool, i))
  }
  return pool.at(-1)!.isExotic ? inner(random, pool, pool.length) : pool.at(-1)!
}

/** Mostly refers to recent cells, so that nearly all of the pool hangs below the last one. */
function inner(random: Random, pool: readonly Cell[], at: number): Cell {
  const builder = new Builder().storeBytes(random.bytes(random.below(40)))
  const refs = Math.min(at, random.pick([1, 1, 2, 2, 3, 4]))
  for (let r = 0; r < refs; r++) {
    const child = pool[Math.max(0, pool.length - 1 - r * random.below(3))]!
    builder.storeRef(child.depth() < 500 ? child : EMPTY_CELL)
  }
  return builder.endCell()
}

const leaf = (random: Random): Cell => new Builder().storeUint(random.uint32(), 32).storeBit(true).endCell()

/** A chain of cells, one below the other. */
export function deepTree(random: Random, depth: number): Cell {
  let cell = leaf(random)
  for (let i = 1; i < depth; i++)
    cell = new Builder().storeUint(i, 16).storeUint(random.uint32(), 32).storeRef(cell).endCell()
  return cell
}

/** Cells that are as full as cells can be, three deep. */
export function fullTree(random: Random): Cell {
  const full = (refs: readonly Cell[]): Cell => {
    const builder = new Builder().storeBytes(random.bytes(127)).storeUint(random.below(128), 7)
    for (const ref of refs) builder.storeRef(ref)
    return builder.endCell()
  }
  const row = (below: () => readonly Cell[]) => Array.from({ length: 4 }, () => full(below()))
  return full(row(() => row(() => [])))
}

/** A dictionary with 32-bit keys, or none at all, in a cell of its own. */
export function dictionaryTree(random: Random, entries: number): Cell {
  const values = new Map(
    Array.from({ length: entries }, () => [random.uint32(), new Builder().storeUint(random.uint32(), 32)]),
  )
  return new Builder().storeMaybeRef(buildDict(values, 32)).endCell()
}

/** Source: the node's `DataCell`, library reference: type 2 and the hash of the library. */
export const libraryCell = (hash: Buffer): Cell =>
  new Builder().storeUint(CELL.library, 8).storeBytes(hash).endCell({ exotic: true })

/** block.tlb `HashmapE 256 SimpleLib`. */
export const libraryDict = (roots: Iterable<Cell>, { isPublic = true } = {}): Cell | undefined =>
  buildDict(
    [...roots].map((root) => [root.hash(), new Builder().storeBit(isPublic).storeRef(root)] as const),
    256,
  )

/** Contracts keep proofs: pruned branches of a level of their own. */
function proofCell(random: Random): Cell {
  const proven = randomChain(random, 4)
  return createMerkleProof(proven, (cell) => cell === proven)
}

/** Contracts keep updates too. */
export const updateCell = (random: Random): Cell =>
  createMerkleUpdate(deepTree(random, random.between(1, 4)), deepTree(random, random.between(1, 4)))

/** A library reference or a proof in place of code, data or a body. */
export const exoticCell = (random: Random): Cell =>
  random.chance(0.5) ? libraryCell(random.hash()) : proofCell(random)

const randomChain = (random: Random, depth: number): Cell => deepTree(random, depth)

/** The tree with one cell changed and all others as they were. */
export function changeTree(random: Random, root: Cell): Cell {
  const path: { readonly cell: Cell; readonly at: number }[] = []
  let cell = root
  while (cell.refs.length > 0 && random.chance(0.9)) {
    const at = random.below(cell.refs.length)
    if (cell.refs[at]!.type !== CELL.ordinary) break
    path.push({ cell, at })
    cell = cell.refs[at]!
  }
  let changed = withOtherData(cell)
  for (const { cell: parent, at } of path.reverse())
    changed = Cell.unchecked(
      parent.type,
      parent.data,
      parent.bits,
      parent.refs.map((ref, i) => (i === at ? changed : ref)),
    )
  return changed
}

function withOtherData(cell: Cell): Cell {
  if (cell.bits < 8) return new Builder().storeUint(1, 8).storeSlice(refsOf(cell)).endCell()
  const data = Buffer.from(cell.data)
  data[0]! ^= 1
  return Cell.unchecked(cell.type, data, cell.bits, cell.refs)
}

const refsOf = (cell: Cell) => {
  const slice = cell.slice()
  return slice.skip(cell.bits)
}
