import { expect, test } from 'vitest'
import { RecentMap, RecentSet } from './recent-map.ts'

const filled = (most: number, count: number): RecentMap<number, number> => {
  const map = new RecentMap<number, number>(most)
  for (let i = 0; i < count; i++) map.set(i, i)
  return map
}

test('the oldest entry of a full map goes', () => {
  expect([...filled(3, 5).keys()]).toEqual([2, 3, 4])
})

test('an entry that is set again is the newest and takes no second place', () => {
  const map = filled(3, 3)
  map.set(0, 10)
  expect([...map]).toEqual([
    [1, 1],
    [2, 2],
    [0, 10],
  ])
  expect([...map.set(3, 3).keys()]).toEqual([2, 0, 3])
})

test('a large map has never more than its limit, and always the newest of all but a thousandth', () => {
  const map = new RecentMap<number, number>(10_000)
  for (let i = 0; i < 30_000; i++) {
    map.set(i, i)
    if (map.size > 10_000 || map.size < Math.min(i + 1, 9_991)) expect.fail(`${map.size} entries`)
  }
  expect(map.keys().next().value).toBe(30_000 - map.size)
})

test('a set behaves alike', () => {
  const set = new RecentSet<string>(2)
  expect([...set.add('a').add('b').add('a').add('c')]).toEqual(['a', 'c'])
})
