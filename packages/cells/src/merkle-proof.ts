import { DecodeError } from '@shardwalk/model'
import type { Bag } from './bag.ts'
import { Builder } from './builder.ts'
import { Cell } from './cell.ts'
import { CELL, isMerkle } from './levels.ts'
import type { Usage } from './usage.ts'

/** Selects the cells that a proof includes; the others become pruned branches. */
export type Shown = Usage | ((cell: Cell) => boolean)

/**
 * Returns the proven tree, whose hashes are those of level 0. Throws DecodeError if the hash or depth stored
 * in the proof differs from its child's, or the hash is not `expectedHash`.
 */
export function openMerkleProof(proof: Cell, expectedHash?: Uint8Array): Cell {
  if (proof.type !== CELL.merkleProof) throw new DecodeError('merkle_proof', `cell of type ${proof.type}`)
  const child = proof.refs[0]!
  checkProof(proof.data, child.hash(0), child.depth(0), expectedHash)
  return child
}

/** Like `openMerkleProof`, for a cell of a bag; returns the index of the proven tree's root. */
export function bagMerkleProof(bag: Bag, cell: number, expectedHash?: Uint8Array): number {
  if (bag.type(cell) !== CELL.merkleProof)
    throw new DecodeError('merkle_proof', `cell of type ${bag.type(cell)}`)
  const child = bag.ref(cell, 0)
  const at = bag.dataOffset(cell)
  checkProof(bag.bytes.subarray(at, at + 35), bag.hash(child, 0), bag.depth(child, 0), expectedHash)
  return child
}

function checkProof(data: Buffer, hash: Buffer, depth: number, expected: Uint8Array | undefined): void {
  if (!data.subarray(1, 33).equals(hash))
    throw new DecodeError('merkle_proof.hash', 'does not match the proven tree')
  if (data.readUInt16BE(33) !== depth)
    throw new DecodeError('merkle_proof.depth', 'does not match the proven tree')
  if (expected !== undefined && !hash.equals(expected))
    throw new DecodeError(
      'merkle_proof.hash',
      `proves ${hash.toString('hex')}, not ${Buffer.from(expected).toString('hex')}`,
    )
}

/** Merkle proof of the selected cells. Cells without references are kept: a pruned branch would be larger. */
export function createMerkleProof(root: Cell, shown: Shown): Cell {
  const isShown = typeof shown === 'function' ? shown : (cell: Cell) => shown.has(cell)
  const child = new Pruner((cell) => !isShown(cell)).prune(root, 0)
  return new Builder()
    .storeUint(CELL.merkleProof, 8)
    .storeBytes(child.hash(0))
    .storeUint(child.depth(0), 16)
    .storeRef(child)
    .endCell({ exotic: true })
}

/**
 * Rebuilds a tree with some cells pruned. The level of a pruned branch is 1 + the number of Merkle cells
 * above it.
 */
export class Pruner {
  private readonly isPruned: (cell: Cell) => boolean
  private readonly made: Map<Cell, Cell>[] = [new Map(), new Map(), new Map(), new Map()]

  constructor(isPruned: (cell: Cell) => boolean) {
    this.isPruned = isPruned
  }

  prune(cell: Cell, merkleDepth: number): Cell {
    const made = this.made[merkleDepth]
    if (made === undefined) throw new DecodeError('merkle_proof', 'Merkle cells nested too deep')
    const known = made.get(cell)
    if (known) return known
    const result =
      this.isPruned(cell) && cell.refs.length > 0
        ? prunedBranch(cell, merkleDepth + 1)
        : this.rebuild(cell, merkleDepth)
    made.set(cell, result)
    return result
  }

  private rebuild(cell: Cell, merkleDepth: number): Cell {
    const below = isMerkle(cell.type) ? merkleDepth + 1 : merkleDepth
    const refs = cell.refs.map((child) => this.prune(child, below))
    const same = refs.every((child, i) => child === cell.refs[i])
    return same ? cell : Cell.unchecked(cell.type, cell.data, cell.bits, refs)
  }
}

/** Pruned branch of `level` that replaces a cell. Source: node, `CellBuilder::create_pruned_branch`. */
export function prunedBranch(cell: Cell, level: number): Cell {
  const mask = cell.levelMask | (1 << (level - 1))
  const levels = [0, 1, 2].filter((l) => l < level && (l === 0 || (mask & (1 << (l - 1))) !== 0))
  const builder = new Builder().storeUint(CELL.pruned, 8).storeUint(mask, 8)
  for (const l of levels) builder.storeBytes(cell.hash(l))
  for (const l of levels) builder.storeUint(cell.depth(l), 16)
  return builder.endCell({ exotic: true })
}
