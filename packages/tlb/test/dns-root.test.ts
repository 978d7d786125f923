import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { MASTERCHAIN } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { dnsRootOf } from '../src/index.ts'

const HASH = Buffer.alloc(32, 7)

const rootOf = (index: number, value: Builder) =>
  dnsRootOf({ root: buildDict([[index, value] as const], 32)!.slice() })
const inCell = (cell: Cell) => new Builder().storeRef(cell)

test('the root of DNS is the first 256 bits of parameter 4', () => {
  const cell = new Builder().storeBytes(HASH).endCell()
  expect(rootOf(4, inCell(cell))).toEqual({ workchain: MASTERCHAIN, hash: HASH })
  const longer = new Builder().storeBytes(HASH).storeUint(1, 3).endCell()
  expect(rootOf(4, inCell(longer))).toEqual({ workchain: MASTERCHAIN, hash: HASH })
})

test('a network without parameter 4, or with one of another form, has no known root of DNS', () => {
  const library = new Builder().storeUint(2, 8).storeBytes(HASH).endCell({ exotic: true })
  expect(rootOf(5, inCell(new Builder().storeBytes(HASH).endCell()))).toBeUndefined()
  expect(rootOf(4, inCell(new Builder().endCell()))).toBeUndefined()
  expect(rootOf(4, inCell(new Builder().storeUint(1, 255).endCell()))).toBeUndefined()
  expect(rootOf(4, inCell(library))).toBeUndefined()
  expect(rootOf(4, new Builder().storeUint(1, 8))).toBeUndefined()
})
