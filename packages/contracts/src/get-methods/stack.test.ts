import { Builder, type Cell, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { Cell as CoreCell, parseTuple, serializeTuple, type TupleItem } from '@ton/core'
import { expect, test } from 'vitest'
import { parseStack, readStack, type StackValue, storeStack } from '../index.ts'

const cell = new Builder().storeUint(5, 7).storeRef(EMPTY_CELL).endCell()
const int = (value: bigint): StackValue => ({ type: 'int', value })
const VALUES: StackValue[] = [
  { type: 'null' },
  { type: 'nan' },
  int(0n),
  int(-(2n ** 63n)),
  int(2n ** 63n),
  int(-(2n ** 256n)),
  { type: 'cell', cell },
  { type: 'slice', cell },
  { type: 'builder', cell },
  ...[0, 1, 2, 3, 5, 255].map(
    (length): StackValue => ({ type: 'tuple', items: Array.from({ length }, (_, i) => int(BigInt(i))) }),
  ),
  { type: 'tuple', items: [{ type: 'tuple', items: [{ type: 'null' }, int(1n), { type: 'cell', cell }] }] },
]
const toCore = (value: StackValue): TupleItem => {
  if (value.type === 'tuple') return { type: 'tuple', items: value.items.map(toCore) }
  if ('cell' in value) return { type: value.type, cell: CoreCell.fromBoc(serializeBoc(value.cell))[0]! }
  return value as TupleItem
}

test('a stack survives storing and reading, and equals that of @ton/core', () => {
  const stored = storeStack(VALUES)
  const plain = (values: readonly StackValue[]): unknown =>
    JSON.parse(
      JSON.stringify(values, (key, value) =>
        key === 'cell'
          ? (value as Cell).hash().toString('hex')
          : typeof value === 'bigint'
            ? String(value)
            : value,
      ),
    )
  expect(plain(parseStack(stored.slice()))).toEqual(plain(VALUES))
  const core = VALUES.map(toCore)
  expect(stored.hash().toString('hex')).toBe(serializeTuple(core).hash().toString('hex'))
  expect(parseTuple(CoreCell.fromBoc(serializeBoc(stored))[0]!)).toHaveLength(VALUES.length)
})

test('a slice of part of a cell gives that part', () => {
  const whole = new Builder().storeUint(0xabcd, 16).storeRef(EMPTY_CELL).storeRef(cell).endCell()
  const value = new Builder()
    .storeUint(4, 8)
    .storeUint(4, 10)
    .storeUint(12, 10)
    .storeUint(1, 3)
    .storeUint(2, 3)
    .storeRef(whole)
  const stack = new Builder().storeUint(1, 24).storeRef(EMPTY_CELL).storeBuilder(value).endCell()
  const [part] = parseStack(stack.slice())
  const expected = new Builder().storeUint(0xbc, 8).storeRef(cell).endCell()
  expect(part?.type === 'slice' && part.cell.hash().equals(expected.hash())).toBe(true)
})

test('a list of pairs may be as long as cells are deep', () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => int(BigInt(i)))
  const list = numbers.reduceRight<StackValue>((rest, item) => ({ type: 'tuple', items: [item, rest] }), {
    type: 'null',
  })
  expect(parseStack(storeStack([list]).slice())).toEqual([list])
})

test('stacks that are too big are refused with a reason', () => {
  const row: StackValue = { type: 'tuple', items: Array.from({ length: 255 }, () => int(1n)) }
  const wide = storeStack(Array.from({ length: 100 }, () => row))
  expect(() => parseStack(wide.slice())).toThrow('more than 20000 values')
})

test('named results need the right types; additional entries are ignored', () => {
  const shape = { count: 'int', owner: 'address?', code: 'cell?' } as const
  const none: StackValue = { type: 'slice', cell: new Builder().storeUint(0, 2).endCell() }
  expect(readStack([int(1n), none, { type: 'null' }, int(5n)], shape)).toEqual({
    count: 1n,
    owner: undefined,
    code: undefined,
  })
  expect(readStack([int(1n), none], shape)).toBeUndefined()
  expect(readStack([{ type: 'null' }, none, { type: 'null' }], shape)).toBeUndefined()
  expect(readStack([int(1n), int(1n), { type: 'null' }], shape)).toBeUndefined()
  expect(readStack(undefined, shape)).toBeUndefined()
})
