import { expect, test } from 'vitest'
import type { LtRange } from '../idiom/index.ts'
import { splitRange } from './lt-windows.ts'

const starts = Array.from({ length: 12 }, (_, index) => BigInt(11 - index) * 100n)
const ends = ({ from, to }: LtRange): string => `${from}-${to}`

test('the parts are disjoint, follow each other, begin with partitions, and are the whole range', () => {
  const range = { from: 150n, to: 1042n }
  expect(splitRange(range, 'desc', starts).map(ends)).toEqual(['900-1042', '500-899', '150-499'])
  expect(splitRange(range, 'asc', starts).map(ends)).toEqual(['150-299', '300-699', '700-1042'])
})

test('a range inside a partition or without partitions is one part', () => {
  const range = { from: 110n, to: 120n }
  expect(splitRange(range, 'desc', starts)).toEqual([range])
  expect(splitRange(range, 'asc', [])).toEqual([range])
})
