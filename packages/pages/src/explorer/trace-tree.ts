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
  /** Transactions below it that are not drawn. */
  readonly hidden: number
}

export interface TraceTree {
  /** Parents before children. */
  readonly nodes: readonly TreeNode[]
  readonly depth: number
  readonly rows: number
  /** Raw addresses by letter, in order of appearance. */
  readonly accounts: readonly string[]
  readonly isWhole: boolean
}

type Branch = NonNullable<Trace['trace']>

/** Nodes that are drawn and listed; the page of the JSON has all. */
export const MAX_NODES = 300

interface Placed {
  readonly branch: Branch
  readonly parent: number | undefined
  readonly depth: number
}

/**
 * Places the transactions of a trace: leaves on rows of their own, the others midway between their first
 * and last
 * child. Not recursive: a trace may be thousands deep.
 */
export function traceTree({ trace: root, transactions }: Pick<Trace, 'trace' | 'transactions'>): TraceTree {
  const placed = root && transactions ? inOrder(root, transactions) : []
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
    const hidden = branch.children.length - (children[index]?.length ?? 0)
    return { transaction, letter: accountLetter(account), account, depth, y: y[index]!, parent, hidden }
  })
  return {
    nodes,
    accounts,
    depth: nodes.reduce((most, node) => Math.max(most, node.depth), 0),
    rows: nodes.filter((_, index) => (children[index]?.length ?? 0) === 0).length,
    isWhole: nodes.every(({ hidden }) => hidden === 0),
  }
}

/** Depth first, children in order; at most `MAX_NODES`. */
function inOrder(root: Branch, transactions: NonNullable<Trace['transactions']>): Placed[] {
  const placed: Placed[] = []
  const stack: Placed[] = [{ branch: root, parent: undefined, depth: 0 }]
  while (stack.length > 0 && placed.length < MAX_NODES) {
    const next = stack.pop()!
    if (!transactions[next.branch.tx_hash]) continue
    const index = placed.push(next) - 1
    for (let i = next.branch.children.length - 1; i >= 0; i--)
      stack.push({ branch: next.branch.children[i]!, parent: index, depth: next.depth + 1 })
  }
  return placed
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
