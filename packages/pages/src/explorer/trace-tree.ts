import { accountLetter } from './letters.ts'
import type { Trace, Transaction } from './replies.ts'

/** A transaction in the drawing. */
export interface TreeNode {
  readonly transaction: Transaction
  readonly letter: string
  /** Index of the account in the order of appearance, for its colour. */
  readonly account: number
  readonly depth: number
  /** Rows from the top; fractions between rows. */
  readonly y: number
  readonly parent: number | undefined
  /** Transactions below it that are not drawn, at any depth. */
  readonly hidden: number
  /** Its children that come before those, drawn here or on an earlier page. */
  readonly shown: number
}

/** Where the transactions of a trace are drawn. */
export interface TraceTree {
  /** Parents before children. */
  readonly nodes: readonly TreeNode[]
  readonly depth: number
  readonly rows: number
  /** Raw addresses by letter, in order of appearance. */
  readonly accounts: readonly string[]
  /** Everything is drawn, from the root of the trace on. */
  readonly isWhole: boolean
  /** Whether it begins below the root of the trace. */
  readonly isBranch: boolean
}

type Branch = NonNullable<Trace['trace']>

/** Nodes that are drawn and listed, so that a page stays below 150 kB; others are on further pages. */
export const MAX_NODES = 64

/** Where a drawing begins. */
export interface TreeStart {
  /** Hash of a transaction, base64; undefined: the root of the trace. */
  readonly root?: string | undefined
  /** Children of that transaction that are on earlier pages. */
  readonly skip?: number | undefined
}

interface Placed {
  readonly branch: Branch
  readonly parent: number | undefined
  readonly depth: number
}

/**
 * Places the transactions of a trace: leaves on rows of their own, the others midway between their first and
 * last child. Of a trace with more than `MAX_NODES` those nearest to its root are drawn, or to where
 * it starts. Not recursive: a trace may be thousands deep.
 */
export function traceTree(
  { trace, transactions }: Pick<Trace, 'trace' | 'transactions'>,
  { root: from, skip = 0 }: TreeStart = {},
): TraceTree {
  const all = trace && transactions ? depthFirst(trace, ({ tx_hash }) => tx_hash in transactions) : []
  const start = from === undefined ? trace : all.find(({ branch }) => branch.tx_hash === from)?.branch
  const root = start && { ...start, children: start.children.slice(skip) }
  const sizes = sizesOf(all)
  const drawn = root && all.length > 0 ? nearest(root, sizes) : new Set<Branch>()
  const placed = root && all.length > 0 ? depthFirst(root, (branch) => drawn.has(branch)) : []
  const children = childrenOf(placed)
  const y = rowsOf(placed, children)
  const accounts: string[] = []
  const numbers = new Map<string, number>()
  const nodes = placed.map(({ branch, parent, depth }, index): TreeNode => {
    const transaction = transactions![branch.tx_hash]!
    let account = numbers.get(transaction.account)
    if (account === undefined) {
      account = accounts.push(transaction.account) - 1
      numbers.set(transaction.account, account)
    }
    const hidden = branch.children.reduce(
      (sum, child) => sum + (drawn.has(child) ? 0 : (sizes.get(child) ?? 0)),
      0,
    )
    const shown = branch.children.filter((child) => drawn.has(child)).length + (branch === root ? skip : 0)
    const letter = accountLetter(account)
    return { transaction, letter, account, depth, y: y[index]!, parent, hidden, shown }
  })
  return {
    nodes,
    accounts,
    depth: nodes.reduce((most, node) => Math.max(most, node.depth), 0),
    rows: nodes.filter((_, index) => (children[index]?.length ?? 0) === 0).length,
    isWhole: nodes.length === all.length,
    isBranch: start !== trace || skip > 0,
  }
}

/** Parents before children, children in order, without what is not wanted and what is below that. */
function depthFirst(root: Branch, isWanted: (branch: Branch) => boolean): Placed[] {
  const placed: Placed[] = []
  const stack: Placed[] = [{ branch: root, parent: undefined, depth: 0 }]
  while (stack.length > 0) {
    const next = stack.pop()!
    if (!isWanted(next.branch)) continue
    const index = placed.push(next) - 1
    for (let i = next.branch.children.length - 1; i >= 0; i--)
      stack.push({ branch: next.branch.children[i]!, parent: index, depth: next.depth + 1 })
  }
  return placed
}

/** Transactions of each branch, itself included. */
function sizesOf(all: readonly Placed[]): ReadonlyMap<Branch, number> {
  const sizes = new Map<Branch, number>()
  for (let index = all.length - 1; index >= 0; index--) {
    const { branch } = all[index]!
    sizes.set(
      branch,
      branch.children.reduce((sum, child) => sum + (sizes.get(child) ?? 0), 1),
    )
  }
  return sizes
}

/** At most `MAX_NODES`: the root and those in `sizes`, level by level. */
function nearest(root: Branch, sizes: ReadonlyMap<Branch, number>): ReadonlySet<Branch> {
  // A set is visited in the order of insertion, also what is added meanwhile.
  const found = new Set([root])
  for (const branch of found)
    for (const child of branch.children) if (found.size < MAX_NODES && sizes.has(child)) found.add(child)
  return found
}

function childrenOf(placed: readonly Placed[]): readonly number[][] {
  const children: number[][] = placed.map(() => [])
  for (const [index, { parent }] of placed.entries()) if (parent !== undefined) children[parent]!.push(index)
  return children
}

/** Children follow their parents, so that they are placed first when going backwards. */
function rowsOf(placed: readonly Placed[], children: readonly number[][]): number[] {
  const y: number[] = []
  let row = 0
  for (const [index, own] of children.entries()) if (own.length === 0) y[index] = row++
  for (let index = placed.length - 1; index >= 0; index--) {
    const own = children[index]!
    if (own.length > 0) y[index] = (y[own[0]!]! + y[own.at(-1)!]!) / 2
  }
  return y
}
