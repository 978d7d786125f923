import { Builder } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { LibraryCache } from './library-cache.ts'

const cell = new Builder().storeUint(1, 8).endCell()
const library = (size: number) => ({ cell, size, until: 0 })

test('the least recently used libraries are dropped when there is no room', () => {
  const cache = new LibraryCache(3_000)
  for (const hash of ['a', 'b', 'c']) cache.set(hash, library(700))
  expect(cache.get('a')).toBeDefined()
  cache.set('d', library(700))
  expect(['a', 'b', 'c', 'd'].filter((hash) => cache.get(hash))).toEqual(['a', 'c', 'd'])
  expect(cache.bytes).toBe(2_700)
})

test('any number of unpublished libraries stays below the bound', () => {
  const cache = new LibraryCache(10_000)
  for (let i = 0; i < 1_000; i++) cache.set(`absent ${i}`, { cell: undefined, size: 0, until: 0 })
  expect(cache.bytes).toBeLessThanOrEqual(10_000)
  expect(cache.get('absent 999')).toBeDefined()
})

test('a library that is set again is counted once', () => {
  const cache = new LibraryCache(10_000)
  for (let i = 0; i < 100; i++) cache.set('a', library(1_000))
  expect(cache.bytes).toBe(1_200)
})

test('a library larger than the bound is kept until the next one arrives', () => {
  const cache = new LibraryCache(1_000)
  cache.set('large', library(5_000))
  expect(cache.get('large')).toBeDefined()
  cache.set('next', library(10))
  expect(cache.get('large')).toBeUndefined()
})
