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

test('a chain of thousands is cut, without recursion, and continues where it was cut', () => {
  let branch: Branch = { tx_hash: 'n0', children: [] }
  for (let i = 1; i < 4000; i++) branch = { tx_hash: `n${i}`, children: [branch] }
  const trace = traceOf(branch)
  const seen = new Set<string>()
  let root: string | undefined
  for (let pages = 1; ; pages++) {
    const tree = traceTree(trace, { root })
    for (const { transaction } of tree.nodes) seen.add(transaction.hash)
    expect([tree.isWhole, tree.isBranch]).toEqual([false, root !== undefined])
    const last = tree.nodes.at(-1)!
    expect(seen.size + last.hidden).toBe(4000)
    if (last.hidden === 0) {
      expect(pages).toBe(64)
      break
    }
    expect(tree.nodes.length).toBe(MAX_NODES)
    root = last.transaction.hash
  }
})

test('of a wide tree the nearest are drawn, and each says how many are below it', () => {
  const leaves = (name: string, count: number): Branch[] =>
    Array.from({ length: count }, (_, index) => ({ tx_hash: `${name}-${index}`, children: [] }))
  const children = Array.from({ length: 20 }, (_, index) => ({
    tx_hash: `b${index}`,
    children: leaves(`l${index}`, 50),
  }))
  const trace = traceOf({ tx_hash: 'root', children })
  const tree = traceTree(trace)
  expect(tree.nodes.length).toBe(MAX_NODES)
  expect(tree.nodes.filter(({ depth }) => depth === 1).length).toBe(20)
  expect(tree.nodes.reduce((sum, { hidden }) => sum + hidden, tree.nodes.length)).toBe(1021)
  const branch = traceTree(trace, { root: 'b19' })
  expect([branch.nodes.length, branch.nodes[0]!.transaction.hash, branch.isBranch]).toEqual([51, 'b19', true])
  expect(traceTree(trace, { root: 'nothing' }).nodes).toEqual([])
})

test('a star with more rays than a drawing is walked around, each ray once', () => {
  const children = Array.from({ length: 350 }, (_, index) => ({ tx_hash: `r${index}`, children: [] }))
  const trace = traceOf({ tx_hash: 'centre', children })
  const seen: string[] = []
  for (let skip = 0; ; ) {
    const { nodes, isBranch } = traceTree(trace, { root: 'centre', skip })
    expect([nodes[0]!.transaction.hash, isBranch]).toEqual(['centre', skip > 0])
    seen.push(...nodes.slice(1).map(({ transaction }) => transaction.hash))
    const { hidden, shown } = nodes[0]!
    expect(hidden + seen.length).toBe(350)
    if (hidden === 0) break
    skip = shown
  }
  expect(seen).toEqual(children.map(({ tx_hash }) => tx_hash))
})
