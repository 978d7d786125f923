import { DecodeError } from '@shardwalk/model'
import type { Cell } from './cell.ts'
import { CELL } from './levels.ts'
import { Slice } from './slice.ts'

/** Records which in-memory cells a reader opens, that is, what a Merkle proof of the reading must contain. */
export class Usage {
  private readonly cells = new Set<Cell>()

  add(cell: Cell): void {
    this.cells.add(cell)
  }

  has(cell: Cell): boolean {
    return this.cells.has(cell)
  }

  /** Recording reader: adds every cell opened through it or through slices derived from it. */
  slice(root: Cell): Slice {
    if (root.type !== CELL.ordinary)
      throw new DecodeError('cell', `exotic cell of type ${root.type} where data was expected`)
    return Slice.ofCell(root, this)
  }

  /** Adds a whole tree. */
  addTree(root: Cell): void {
    const pending = [root]
    const seen = new Set<Cell>()
    for (let cell = pending.pop(); cell !== undefined; cell = pending.pop()) {
      if (seen.has(cell)) continue
      seen.add(cell)
      this.cells.add(cell)
      pending.push(...cell.refs)
    }
  }
}
