import { expect, test } from 'vitest'
import { type CacheLimits, LruCache } from './lru-cache.ts'

const cacheOf = (limits: CacheLimits) => new LruCache<string, string>(limits)
const kept = (cache: LruCache<string, string>, keys: string) => [...keys].filter((key) => cache.get(key))

test('the values used last are kept, up to a number', () => {
  const cache = cacheOf({ entries: 2, bytes: 100 })
  for (const key of 'ab') cache.set(key, key, 1)
  expect(cache.get('a')).toBe('a')
  cache.set('c', 'c', 1)
  expect(kept(cache, 'abc')).toEqual(['a', 'c'])
})

test('the least recently used values are dropped when there is no room', () => {
  const cache = cacheOf({ bytes: 3_000 })
  for (const key of 'abc') cache.set(key, key, 900)
  expect(cache.get('a')).toBe('a')
  cache.set('d', 'd', 900)
  expect(kept(cache, 'abcd')).toEqual(['a', 'c', 'd'])
  expect(cache.bytes).toBe(2_700)
})

test('any number of small values stays below the bound', () => {
  const cache = cacheOf({ bytes: 10_000 })
  for (let i = 0; i < 1_000; i++) cache.set(`small ${i}`, 'small', 200)
  expect(cache.bytes).toBeLessThanOrEqual(10_000)
  expect(cache.get('small 999')).toBe('small')
})

test('a value that is set again is counted once, with what it takes now', () => {
  const cache = cacheOf({ entries: 10, bytes: 10_000 })
  for (let i = 0; i < 100; i++) cache.set('a', 'a', 1_000 + i)
  expect(cache.bytes).toBe(1_099)
  cache.delete('a')
  cache.delete('a')
  expect(cache.bytes).toBe(0)
})

test('a value larger than the bound is kept until the next one arrives', () => {
  const cache = cacheOf({ bytes: 100 })
  cache.set('a', 'a', 10)
  cache.set('b', 'b', 101)
  expect(kept(cache, 'ab')).toEqual(['b'])
  cache.set('c', 'c', 10)
  expect(kept(cache, 'abc')).toEqual(['c'])
  cache.set('d', 'd', 90)
  expect(kept(cache, 'cd')).toEqual(['c', 'd'])
})

test('values that take no bytes stay when there is no room', () => {
  const cache = cacheOf({ entries: 3, bytes: 100 })
  cache.set('a', 'a')
  for (const key of 'bc') cache.set(key, key, 60)
  expect(kept(cache, 'abc')).toEqual(['a', 'c'])
})

test('a cache of no entries keeps nothing', () => {
  const cache = cacheOf({ entries: 0 })
  cache.set('a', 'a')
  expect(cache.get('a')).toBeUndefined()
})
