import { DecodeError } from '@shardwalk/model'
import { Builder } from './builder.ts'
import { Cell } from './cell.ts'
import { CELL, isMerkle } from './levels.ts'
import { Pruner } from './merkle-proof.ts'

/**
 * Applies a Merkle update and returns the new tree, which shares unchanged parts with `old`. Throws
 * DecodeError if the update does not start from `old`, or needs a cell that `old` does not contain.
 */
export function applyMerkleUpdate(old: Cell, update: Cell): Cell {
  if (update.type !== CELL.merkleUpdate) throw new DecodeError('merkle_update', `cell of type ${update.type}`)
  const [from, to] = update.refs as readonly [Cell, Cell]
  checkEnd('old', update, from, 1)
  checkEnd('new', update, to, 33)
  if (!old.hash(0).equals(from.hash(0)))
    throw new DecodeError(
      'merkle_update.old',
      `starts from ${from.hash(0).toString('hex')}, not ${old.hash(0).toString('hex')}`,
    )
  const known = new KnownCells()
  known.collect(old, from, 0)
  return new Rebuilder(known).rebuild(to, 0)
}

/** Merkle update between two trees; parts common to both are pruned in it. */
export function createMerkleUpdate(old: Cell, next: Cell): Cell {
  const inOld = hashesOf(old)
  const shared = new Set<string>()
  const to = new Pruner((cell) => {
    if (!inOld.has(keyOf(cell, 3))) return false
    shared.add(keyOf(cell, 3))
    return true
  }).prune(next, 0)
  const needed = new Set<Cell>()
  markPaths(old, shared, needed)
  const from = new Pruner((cell) => !needed.has(cell)).prune(old, 0)
  return new Builder()
    .storeUint(CELL.merkleUpdate, 8)
    .storeBytes(from.hash(0))
    .storeBytes(to.hash(0))
    .storeUint(from.depth(0), 16)
    .storeUint(to.depth(0), 16)
    .storeRef(from)
    .storeRef(to)
    .endCell({ exotic: true })
}

const keyOf = (cell: Cell, level: number): string => cell.hash(level).toString('latin1')

function checkEnd(name: string, update: Cell, child: Cell, at: number): void {
  if (!update.data.subarray(at, at + 32).equals(child.hash(0)))
    throw new DecodeError(`merkle_update.${name}`, 'hash does not match the tree')
  if (update.data.readUInt16BE(name === 'old' ? 65 : 67) !== child.depth(0))
    throw new DecodeError(`merkle_update.${name}`, 'depth does not match the tree')
}

/** Cells of the old tree that the update may refer to, by hash and Merkle depth. */
class KnownCells {
  private readonly cells = [
    new Map<string, Cell>(),
    new Map<string, Cell>(),
    new Map<string, Cell>(),
    new Map<string, Cell>(),
  ] as const

  find(hash: Buffer, merkleDepth: number): Cell | undefined {
    return this.cells[merkleDepth]?.get(hash.toString('latin1'))
  }

  /** Collects the cells of the old tree down to where the update prunes it. */
  collect(full: Cell, shown: Cell, merkleDepth: number): void {
    const cells = this.cells[merkleDepth]
    if (cells === undefined) throw new DecodeError('merkle_update.old', 'Merkle cells nested too deep')
    const key = keyOf(shown, merkleDepth)
    if (cells.has(key)) return
    cells.set(key, full)
    if (shown.type === CELL.pruned || full.type === CELL.pruned) return
    const below = isMerkle(shown.type) ? merkleDepth + 1 : merkleDepth
    for (const [i, child] of shown.refs.entries()) this.collect(full.refs[i]!, child, below)
  }
}

class Rebuilder {
  private readonly known: KnownCells
  private readonly made: Map<Cell, Cell>[] = [new Map(), new Map(), new Map(), new Map()]

  constructor(known: KnownCells) {
    this.known = known
  }

  rebuild(cell: Cell, merkleDepth: number): Cell {
    if ((cell.levelMask & (1 << merkleDepth)) === 0) return cell
    const made = this.made[merkleDepth]!
    const before = made.get(cell)
    if (before) return before
    const result = cell.type === CELL.pruned ? this.resolve(cell, merkleDepth) : this.copy(cell, merkleDepth)
    made.set(cell, result)
    return result
  }

  private resolve(cell: Cell, merkleDepth: number): Cell {
    const hash = cell.hash(merkleDepth)
    const found = this.known.find(hash, merkleDepth)
    if (found === undefined)
      throw new DecodeError(
        'merkle_update.new',
        `needs cell ${hash.toString('hex')}, which the old part does not show`,
      )
    return found
  }

  private copy(cell: Cell, merkleDepth: number): Cell {
    const below = isMerkle(cell.type) ? merkleDepth + 1 : merkleDepth
    return Cell.unchecked(
      cell.type,
      cell.data,
      cell.bits,
      cell.refs.map((child) => this.rebuild(child, below)),
    )
  }
}

function hashesOf(root: Cell): Set<string> {
  const hashes = new Set<string>()
  const pending = [root]
  for (let cell = pending.pop(); cell !== undefined; cell = pending.pop()) {
    const key = keyOf(cell, 3)
    if (hashes.has(key)) continue
    hashes.add(key)
    pending.push(...cell.refs)
  }
  return hashes
}

/** Marks the cells on the way to a shared cell; returns whether there is one below. */
function markPaths(
  cell: Cell,
  shared: ReadonlySet<string>,
  needed: Set<Cell>,
  seen = new Map<Cell, boolean>(),
): boolean {
  const before = seen.get(cell)
  if (before !== undefined) return before
  let found = false
  for (const child of cell.refs) if (markPaths(child, shared, needed, seen)) found = true
  if (found) needed.add(cell)
  const result = found || shared.has(keyOf(cell, 3))
  seen.set(cell, result)
  return result
}
