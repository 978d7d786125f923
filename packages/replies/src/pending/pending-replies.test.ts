import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byDescendingLt } from './pending-replies.ts'
import type { PendingNode } from './pending-traces.ts'

const node = ([lt, account]: readonly [number, string]) => ({ lt: BigInt(lt), account }) as PendingNode

test('expected transactions with one lt come in the order of their accounts, however they are read', () => {
  const nodes = fc.uniqueArray(
    fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('0:A', '0:B', '-1:C')),
    {
      selector: String,
    },
  )
  fc.assert(
    fc.property(nodes, (given) => {
      const sorted = given.map(node).sort(byDescendingLt)
      const expected = [...given].sort(([a, x], [b, y]) => b - a || (x < y ? -1 : 1))
      expect(sorted).toEqual(expected.map(node))
    }),
  )
})
