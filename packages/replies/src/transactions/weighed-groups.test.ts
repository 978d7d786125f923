import { expect, test } from 'vitest'
import { weighedGroups } from './weighed-groups.ts'

const groups = (weights: readonly number[], limit: number) => [
  ...weighedGroups(weights, { limit, weight: (own) => own }),
]

test('rows stay in order, and no group weighs more than the limit', () => {
  expect(groups([2, 2, 2, 4, 1], 4)).toEqual([[2, 2], [2], [4], [1]])
})

test('a row that weighs more than the limit is alone; nothing gives no group', () => {
  expect(groups([1, 9, 1], 4)).toEqual([[1], [9], [1]])
  expect(groups([], 4)).toEqual([])
})
