import { Builder, serializeBoc } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { readLegacyStack, readTypedStack } from './stack.ts'

const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })
const bytes = serializeBoc(library).toString('base64')

test('an exotic cell is an argument as a cell, and refused as a slice, which TVM cannot take of it', () => {
  const tagged = (kind: string, tag: string) => [{ '@type': tag, [kind]: { '@type': `tvm.${kind}`, bytes } }]
  for (const name of ['tvm.Slice', 'slice'])
    expect(() => readLegacyStack([[name, bytes]])).toThrow('Invalid slice: an exotic cell')
  expect(() => readTypedStack(tagged('slice', 'tvm.stackEntrySlice'))).toThrow('Invalid slice')
  for (const [entry] of [
    ...['tvm.Cell', 'cell'].map((name) => readLegacyStack([[name, bytes]])),
    readTypedStack(tagged('cell', 'tvm.stackEntryCell')),
  ])
    expect(entry).toMatchObject({ type: 'cell', cell: { isExotic: true } })
})

test('elements of a tuple are typed entries, or pairs as on the stack', () => {
  const typed = (number: string) => ({
    '@type': 'tvm.stackEntryNumber',
    number: { '@type': 'tvm.numberDecimal', number },
  })
  const one = { type: 'int', value: 1n }
  const nested = { type: 'tuple', items: [one, { type: 'tuple', items: [one] }] }
  const [pairs, mixed, list] = readLegacyStack([
    [
      'tuple',
      {
        elements: [
          ['num', '1'],
          ['tuple', { elements: [['num', '0x1']] }],
        ],
      },
    ],
    ['tvm.Tuple', { '@type': 'tvm.tuple', elements: [typed('1'), ['tuple', { elements: [typed('1')] }]] }],
    ['list', { elements: [['num', 1]] }],
  ])
  expect([pairs, mixed]).toEqual([nested, nested])
  expect(list).toEqual({ type: 'tuple', items: [one, { type: 'null' }] })
  expect(() => readLegacyStack([['tuple', { '@type': 'tvm.list', elements: [] }]])).toThrow(
    'Invalid tvm.Tuple',
  )
  expect(() => readLegacyStack([['tuple', { elements: [['num']] }]])).toThrow('Expected 2 elements')
  const asTyped = {
    '@type': 'tvm.stackEntryTuple',
    tuple: { '@type': 'tvm.tuple', elements: [['num', '1']] },
  }
  expect(() => readTypedStack([asTyped])).toThrow('Stack entry should be an object')
})

test('pairs in tuples are nested as deep as typed entries', () => {
  let pair: readonly unknown[] = ['num', '1']
  for (let depth = 0; depth < 1_000; depth++) pair = ['tuple', { elements: [pair] }]
  expect(() => readLegacyStack([pair] as never)).not.toThrow()
  expect(() => readLegacyStack([['tuple', { elements: [pair] }]] as never)).toThrow('depth exceeds limit')
})
