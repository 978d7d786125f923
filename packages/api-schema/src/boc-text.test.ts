import { EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { bocText } from './index.ts'

test('the empty cell is printed as clients expect', () => {
  expect(EMPTY_CELL.hash().toString('base64')).toBe('lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c=')
  expect(bocText(serializeBoc(EMPTY_CELL))).toBe('te6cckEBAQEAAgAAAEysuc0=')
})
