import { CELL, Cell, parseBoc } from '@shardwalk/cells'

/**
 * Cells by hash, used to complete trees: the state in a block has pruned branches where it did not change.
 * Cells are found by their computed hash only, so their origin need not be trusted.
 */
export class KnownCells {
  private readonly cells = new Map<string, Cell>()
  private readonly missingHashes = new Map<string, Buffer>()

  /** Adds every cell of a bag of cells with any number of roots. Throws DecodeError. */
  add(boc: Buffer): void {
    const bag = parseBoc(boc, { allowLevel: true })
    this.addTrees(bag.roots.map((root) => bag.cell(root)))
  }

  addTree(root: Cell): void {
    this.addTrees([root])
  }

  private addTrees(roots: readonly Cell[]): void {
    const pending = [...roots]
    const seen = new Set<Cell>(pending)
    for (let cell = pending.pop(); cell; cell = pending.pop()) {
      if (cell.type === CELL.pruned) continue
      const key = keyOf(cell.hash(0))
      if (this.cells.get(key)?.levelMask === 0) continue
      this.cells.set(key, cell)
      for (const ref of cell.refs)
        if (!seen.has(ref)) {
          seen.add(ref)
          pending.push(ref)
        }
    }
  }

  /** Hashes that the last call of `tree` could not find. */
  get missing(): readonly Buffer[] {
    return [...this.missingHashes.values()]
  }

  /**
   * The tree with this hash as far as known; complete if its level mask is 0. Undefined if the root is
   * unknown.
   */
  tree(hash: Buffer): Cell | undefined {
    this.missingHashes.clear()
    const tree = this.find(hash, new Map())
    if (tree && !tree.hash(0).equals(hash))
      throw new Error(`cells of ${hash.toString('hex')} do not fit together`)
    return tree
  }

  private find(hash: Buffer, made: Map<string, Cell>): Cell | undefined {
    const key = keyOf(hash)
    const before = made.get(key)
    if (before) return before
    const cell = this.cells.get(key)
    if (!cell) {
      this.missingHashes.set(key, hash)
      return undefined
    }
    // Pruned branches below exotic cells in data have levels of their own, so such cells are left unchanged.
    const isFilled = cell.levelMask === 0 || cell.isExotic
    const filled = isFilled ? cell : this.fill(cell, made)
    made.set(key, filled)
    return filled
  }

  private fill(cell: Cell, made: Map<string, Cell>): Cell {
    const refs = cell.refs.map((ref) => (ref.levelMask === 0 ? ref : (this.find(ref.hash(0), made) ?? ref)))
    return Cell.unchecked(cell.type, cell.data, cell.bits, refs)
  }
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')
