import { Builder, CELL, Cell, parseRoot, prunedBranch, serializeCanonical, sha256 } from '@shardwalk/cells'
import type { RawBlock } from '@shardwalk/model'
import { forEachShardAccount, loadShardState } from '@shardwalk/tlb'

/**
 * Cells that a node might have left out of a block's state update: everything below the Account cells of
 * `touched`.
 */
export interface TouchedAccount {
  /** Account id, hex. */
  readonly key: string
  readonly cell: Cell
}

export interface OpenedBlock {
  readonly raw: RawBlock
  readonly root: Cell
  readonly accounts: readonly TouchedAccount[]
}

/** `touched`: account ids, hex. Those that the block shows. */
export function openForPruning(raw: RawBlock, touched: ReadonlySet<string>): OpenedBlock {
  const root = parseRoot(raw.bytes)
  const accounts: TouchedAccount[] = []
  const after = newState(root)
  if (after.type === CELL.ordinary)
    forEachShardAccount(
      loadShardState(after.slice()),
      ({ account }, id) => {
        const key = id.toString('hex')
        if (touched.has(key)) accounts.push({ key, cell: account.preloadRefCell() })
      },
      { pruned: 'skip' },
    )
  return { raw, root, accounts }
}

/**
 * Source: block.tlb `block#11ef55aa`, whose third reference is the Merkle update from the state before to the
 * one after.
 */
const STATE_UPDATE = 2
const newState = (root: Cell): Cell => root.refs[STATE_UPDATE]!.refs[1]!

/**
 * Cells below an Account cell that can be pruned, each once. Cells inside Merkle cells of the data are left
 * alone.
 */
export function cellsBelow(account: Cell): Cell[] {
  const found = new Set<Cell>()
  const visit = (cell: Cell) => {
    if (cell.type === CELL.pruned || found.has(cell)) return
    found.add(cell)
    if (cell.type === CELL.ordinary) for (const child of cell.refs) visit(child)
  }
  for (const child of account.refs) visit(child)
  return [...found]
}

/** The tree with some of its cells pruned, as in a state update: level 1. */
export function pruneCells(root: Cell, isPruned: (cell: Cell) => boolean): Cell {
  const made = new Map<Cell, Cell>()
  const prune = (cell: Cell): Cell => {
    const known = made.get(cell)
    if (known) return known
    const result = isPruned(cell) ? prunedBranch(cell, 1) : rebuilt(cell, prune)
    made.set(cell, result)
    return result
  }
  return rebuilt(root, prune)
}

function rebuilt(cell: Cell, map: (cell: Cell) => Cell): Cell {
  // Cells below Merkle cells have separate levels.
  if (cell.type !== CELL.ordinary) return cell
  const refs = cell.refs.map(map)
  return refs.every((child, i) => child === cell.refs[i])
    ? cell
    : Cell.unchecked(cell.type, cell.data, cell.bits, refs)
}

/** The block as it would be had its collator pruned these cells too, under the id that it would have. */
export function withPruned({ raw, root }: OpenedBlock, isPruned: (cell: Cell) => boolean): RawBlock {
  const [before] = root.refs[STATE_UPDATE]!.refs as readonly [Cell, Cell]
  const after = pruneCells(newState(root), isPruned)
  const refs = root.refs.map((ref, i) => (i === STATE_UPDATE ? merkleUpdate(before, after) : ref))
  const changed = Cell.unchecked(root.type, root.data, root.bits, refs)
  const bytes = serializeCanonical(changed)
  return { id: { ...raw.id, rootHash: changed.hash(), fileHash: sha256(bytes) }, bytes }
}

const merkleUpdate = (before: Cell, after: Cell): Cell =>
  new Builder()
    .storeUint(CELL.merkleUpdate, 8)
    .storeBytes(before.hash(0))
    .storeBytes(after.hash(0))
    .storeUint(before.depth(0), 16)
    .storeUint(after.depth(0), 16)
    .storeRef(before)
    .storeRef(after)
    .endCell({ exotic: true })
