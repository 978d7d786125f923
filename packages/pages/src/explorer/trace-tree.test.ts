import { expect, test } from 'vitest'
import type { Trace } from './replies.ts'
import { MAX_NODES, traceTree } from './trace-tree.ts'

type Branch = NonNullable<Trace['trace']>

/** Transactions of a tree of hashes, each of the account that its first letter names. */
function traceOf(trace: Branch): Pick<Trace, 'trace' | 'transactions'> {
  const transactions: Record<string, unknown> = {}
  for (const stack = [trace]; stack.length > 0; ) {
    const { tx_hash, children } = stack.pop()!
    transactions[tx_hash] = { hash: tx_hash, account: tx_hash[0] }
    stack.push(...children)
  }
  return { trace, transactions } as Pick<Trace, 'trace' | 'transactions'>
}

test('leaves have rows of their own, parents stand midway, letters follow accounts', () => {
  const leaf = (tx_hash: string): Branch => ({ tx_hash, children: [] })
  const tree = traceTree(
    traceOf({ tx_hash: 'x1', children: [{ tx_hash: 'y1', children: [leaf('x2'), leaf('z1')] }, leaf('y2')] }),
  )
  const shown = tree.nodes.map(({ transaction, letter, depth, y }) => [transaction.hash, letter, depth, y])
  expect(shown).toEqual([
    ['x1', 'A', 0, 1.25],
    ['y1', 'B', 1, 0.5],
    ['x2', 'A', 2, 0],
    ['z1', 'C', 2, 1],
    ['y2', 'B', 1, 2],
  ])
  expect([tree.depth, tree.rows, tree.isWhole]).toEqual([2, 3, true])
})

test('a chain of thousands is cut, without recursion', () => {
  let branch: Branch = { tx_hash: 'n0', children: [] }
  for (let i = 1; i < 5000; i++) branch = { tx_hash: `n${i}`, children: [branch] }
  const tree = traceTree(traceOf(branch))
  expect([tree.nodes.length, tree.isWhole, tree.nodes.at(-1)!.hidden]).toEqual([MAX_NODES, false, 1])
})
