/** Cells of some trees in post-order (children before parents), each once. The input of the node's numbering. */
export class PostOrder {
  readonly refs: number[][] = []
  /** Cells met again after their first visit: the cache bit of the index. */
  readonly repeated: boolean[] = []
  readonly weights: number[] = []

  get count(): number {
    return this.refs.length
  }

  add(refs: number[]): number {
    let weight = 1
    for (const child of refs) weight += this.weights[child]!
    this.refs.push(refs)
    this.repeated.push(false)
    this.weights.push(Math.min(255, weight))
    return this.refs.length - 1
  }
}

/** Most cells a reader should hash to check one stored hash. Source: `BagOfCells::max_cell_whs` of the node. */
const MAX_CELLS_WITHOUT_HASH = 64
const ALWAYS_FITS = 15

/**
 * File position of every cell, as the node orders them, and which cells carry stored hashes (weight 0).
 * Source: `BagOfCells::reorder_cells` and `revisit`; the file of a block is a function of its tree only with exactly this order.
 */
export function orderCells(
  tree: PostOrder,
  roots: readonly number[],
): { readonly positions: Int32Array; readonly carriers: readonly boolean[] } {
  // A child of weight 15 or less always fits (63 / 4), so in small trees no weight is lowered and no cell becomes a carrier.
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
  const positions = numbers.positions
  for (let i = 0; i < positions.length; i++) positions[i] = tree.count - 1 - positions[i]!
  return { positions, carriers: tree.weights.map((weight) => weight === 0) }
}

function lowerWeights({ refs, weights }: PostOrder): void {
  for (let cell = refs.length - 1; cell >= 0; cell--) {
    const children = refs[cell]!
    const fits = children.map(
      (child, j) => weights[child]! <= Math.floor((MAX_CELLS_WITHOUT_HASH - 1 + j) / children.length),
    )
    let budget = MAX_CELLS_WITHOUT_HASH - 1
    let rest = children.length
    for (const [j, child] of children.entries())
      if (fits[j]) {
        budget -= weights[child]!
        rest--
      }
    for (const [j, child] of children.entries())
      if (!fits[j]) weights[child] = Math.min(weights[child]!, Math.floor(budget++ / rest))
  }
}

function settleWeights({ refs, weights }: PostOrder): void {
  for (const [cell, children] of refs.entries()) {
    let sum = 1
    for (const child of children) sum += weights[child]!
    weights[cell] = sum <= weights[cell]! ? sum : 0
  }
}

const FRESH = -1
const PREVISITED = -2
const VISITED = -3

class Numbering {
  readonly positions: Int32Array
  readonly #tree: PostOrder
  #next = 0

  constructor(tree: PostOrder) {
    this.#tree = tree
    this.positions = new Int32Array(tree.count).fill(FRESH)
  }

  previsit(cell: number): void {
    if (this.positions[cell] !== FRESH) return
    const refs = this.#tree.refs[cell]!
    for (let j = refs.length - 1; j >= 0; j--) {
      const child = refs[j]!
      if (this.#tree.weights[child] === 0) this.visit(child)
      else this.previsit(child)
    }
    this.positions[cell] = PREVISITED
  }

  visit(cell: number): void {
    if (this.positions[cell]! >= 0 || this.positions[cell] === VISITED) return
    if (this.#tree.weights[cell] === 0) this.previsit(cell)
    const refs = this.#tree.refs[cell]!
    for (let j = refs.length - 1; j >= 0; j--) this.visit(refs[j]!)
    for (let j = refs.length - 1; j >= 0; j--) this.allocate(refs[j]!)
    this.positions[cell] = VISITED
  }

  allocate(cell: number): void {
    if (this.positions[cell]! < 0) this.positions[cell] = this.#next++
  }
}
