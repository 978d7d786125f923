/** Every cell has four reference slots, used or not. */
const MAX_REFS = 4

/**
 * Cells of one or more trees in post-order (children before parents), each once: the input of the node's
 * numbering. Uses flat arrays so that one instance can be cleared and reused for many small trees.
 */
export class PostOrder {
  count = 0
  refCounts = new Uint8Array(64)
  /** Four per cell. */
  refs = new Int32Array(64 * MAX_REFS)
  /**
   * Number of cells to hash for this one, at most 255; set to 0 by ordering if the cell stores its hashes.
   */
  weights = new Uint8Array(64)
  /** 1 for a cell that is referenced more than once: the cache bit of the index. */
  repeated = new Uint8Array(64)
  /** Position of each cell in the file, set by ordering. */
  positions = new Int32Array(64)

  clear(): void {
    this.count = 0
  }

  /** Adds a cell; its references follow through `addRef`, then `close`. */
  open(): number {
    if (this.count === this.refCounts.length) this.grow()
    this.refCounts[this.count] = 0
    this.repeated[this.count] = 0
    return this.count++
  }

  addRef(cell: number, child: number): void {
    this.refs[cell * MAX_REFS + this.refCounts[cell]!++] = child
  }

  close(cell: number): void {
    let weight = 1
    for (let at = cell * MAX_REFS, end = at + this.refCounts[cell]!; at < end; at++)
      weight += this.weights[this.refs[at]!]!
    this.weights[cell] = Math.min(255, weight)
  }

  private grow(): void {
    const grown = <T extends Uint8Array | Int32Array>(from: T, to: T): T => {
      to.set(from)
      return to
    }
    const size = this.refCounts.length * 2
    this.refCounts = grown(this.refCounts, new Uint8Array(size))
    this.refs = grown(this.refs, new Int32Array(size * MAX_REFS))
    this.weights = grown(this.weights, new Uint8Array(size))
    this.repeated = grown(this.repeated, new Uint8Array(size))
    this.positions = new Int32Array(size)
  }
}

/** Maximum number of cells to hash before a stored hash. Source: node, `BagOfCells::max_cell_whs`. */
const MAX_CELLS_WITHOUT_HASH = 64
const ALWAYS_FITS = 15

/**
 * Sets `positions` to the node's order and the weight of cells that store hashes to 0. The file of a block is
 * a function of its tree only with exactly this order. Source: node, `BagOfCells::reorder_cells` and
 * `revisit`.
 */
export function orderCells(tree: PostOrder, roots: readonly number[]): void {
  // A child of weight 15 or less always fits (63 / 4), so no weight changes and no cell of a small tree
  // stores hashes.
  if (roots.some((root) => tree.weights[root]! > ALWAYS_FITS + 1)) {
    lowerWeights(tree)
    settleWeights(tree)
  }
  const numbers = new Numbering(tree)
  for (const root of roots) {
    numbers.previsit(root)
    numbers.visit(root)
  }
  for (const root of roots) numbers.allocate(root)
  const { positions, count } = tree
  for (let i = 0; i < count; i++) positions[i] = count - 1 - positions[i]!
}

function lowerWeights({ count, refs, refCounts, weights }: PostOrder): void {
  for (let cell = count - 1; cell >= 0; cell--) {
    const first = cell * MAX_REFS
    const children = refCounts[cell]!
    let budget = MAX_CELLS_WITHOUT_HASH - 1
    let rest = children
    let fitting = 0
    for (let j = 0; j < children; j++) {
      const weight = weights[refs[first + j]!]!
      if (weight > (MAX_CELLS_WITHOUT_HASH - 1 + j) / children) continue
      budget -= weight
      rest--
      fitting |= 1 << j
    }
    for (let j = 0; j < children && rest > 0; j++) {
      if ((fitting & (1 << j)) !== 0) continue
      const child = refs[first + j]!
      const limit = Math.floor(budget++ / rest)
      if (weights[child]! > limit) weights[child] = limit
    }
  }
}

function settleWeights({ count, refs, refCounts, weights }: PostOrder): void {
  for (let cell = 0; cell < count; cell++) {
    let sum = 1
    for (let at = cell * MAX_REFS, end = at + refCounts[cell]!; at < end; at++) sum += weights[refs[at]!]!
    weights[cell] = sum <= weights[cell]! ? sum : 0
  }
}

const FRESH = -1
const PREVISITED = -2
const VISITED = -3

class Numbering {
  private readonly tree: PostOrder
  private readonly positions: Int32Array
  private next = 0

  constructor(tree: PostOrder) {
    this.tree = tree
    this.positions = tree.positions
    this.positions.fill(FRESH, 0, tree.count)
  }

  previsit(cell: number): void {
    if (this.positions[cell] !== FRESH) return
    const { refs, refCounts, weights } = this.tree
    const first = cell * MAX_REFS
    for (let at = first + refCounts[cell]! - 1; at >= first; at--) {
      const child = refs[at]!
      if (weights[child] === 0) this.visit(child)
      else this.previsit(child)
    }
    this.positions[cell] = PREVISITED
  }

  visit(cell: number): void {
    const state = this.positions[cell]!
    if (state >= 0 || state === VISITED) return
    const { refs, refCounts, weights } = this.tree
    if (weights[cell] === 0) this.previsit(cell)
    const first = cell * MAX_REFS
    const last = first + refCounts[cell]! - 1
    for (let at = last; at >= first; at--) this.visit(refs[at]!)
    for (let at = last; at >= first; at--) this.allocate(refs[at]!)
    this.positions[cell] = VISITED
  }

  allocate(cell: number): void {
    if (this.positions[cell]! < 0) this.positions[cell] = this.next++
  }
}
