import { type Cell, createMerkleProof, type Slice, serializeBoc, Usage } from '@shardwalk/cells'

/**
 * Records read cells by hash, as the node does: equal cells count as one. Source: node,
 * crypto/vm/cells/MerkleProof.cpp.
 */
class UsageByHash extends Usage {
  private readonly hashes = new Set<string>()

  override add(cell: Cell): void {
    this.hashes.add(keyOf(cell))
  }

  override has(cell: Cell): boolean {
    return this.hashes.has(keyOf(cell))
  }
}

/**
 * Reads a tree and proves what was read. Other cells become pruned branches unless they have no references.
 */
export class ProofReader {
  private readonly usage = new UsageByHash()

  constructor(readonly root: Cell) {}

  open(cell: Cell = this.root): Slice {
    return this.usage.slice(cell)
  }

  /** Marks a cell of any type as read. */
  visit(cell: Cell): void {
    this.usage.add(cell)
  }

  visitTree(cell: Cell): void {
    if (this.usage.has(cell)) return
    this.usage.add(cell)
    for (const child of cell.refs) this.visitTree(child)
  }

  proof(): Cell {
    return createMerkleProof(this.root, this.usage)
  }

  boc(): Buffer {
    return serializeBoc(this.proof())
  }
}

const keyOf = (cell: Cell): string => cell.hash().toString('latin1')
