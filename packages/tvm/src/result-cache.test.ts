import { expect, test } from 'vitest'
import { ResultCache } from './result-cache.ts'

const cacheOf = (size: number, bytes: number) =>
  new ResultCache<Buffer>({ size, bytes, weigh: (value) => value.length })
const kept = (cache: ResultCache<Buffer>, keys: string) =>
  [...keys].filter((key) => cache.get(key) !== undefined).join('')

test('the results used last are kept, up to a number', () => {
  const cache = cacheOf(2, 100)
  for (const key of 'ab') cache.set(key, Buffer.alloc(1))
  cache.get('a')
  cache.set('c', Buffer.alloc(1))
  expect(kept(cache, 'abc')).toBe('ac')
})

test('large results are kept up to a size in bytes; one that is larger than all may be is not', () => {
  const cache = cacheOf(10, 100)
  for (const key of 'abc') cache.set(key, Buffer.alloc(40))
  expect(kept(cache, 'abc')).toBe('bc')
  for (let again = 0; again < 5; again++) cache.set('c', Buffer.alloc(60))
  expect(kept(cache, 'abc')).toBe('bc')
  cache.set('d', Buffer.alloc(101))
  expect(kept(cache, 'abcd')).toBe('')
  cache.set('e', Buffer.alloc(100))
  expect(kept(cache, 'e')).toBe('e')
})
