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
