import { expect, test } from 'vitest'
import { FairQueue, QueueFull } from './index.ts'

const drained = (queue: FairQueue<string>): string[] => {
  const items: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item)
  return items
}

test('clients take turns, and so do the lanes of one client', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.push(item, { client: 'a', lane: 'slow' })
  queue.push('a4', { client: 'a', lane: 'quick' })
  queue.push('b1', { client: 'b' })
  expect(drained(queue)).toEqual(['a1', 'b1', 'a4', 'a2', 'a3'])
})

test('a client that may not run is skipped and keeps its turn', () => {
  const queue = new FairQueue<string>()
  queue.push('a1', { client: 'a' })
  queue.push('b1', { client: 'b' })
  expect(queue.take((client) => client !== 'a')).toBe('b1')
  expect(queue.take((client) => client !== 'a')).toBeUndefined()
  expect(queue.take()).toBe('a1')
})

test('an item that is removed frees its place at once', () => {
  const queue = new FairQueue<string>({ maxWaiting: 2, maxWaitingPerClient: 1 })
  queue.push('a1', { client: 'a' })
  expect(() => queue.push('a2', { client: 'a' })).toThrow(QueueFull)
  queue.push('b1', { client: 'b' })
  expect(() => queue.push('c1', { client: 'c' })).toThrow('2 calls are waiting already')
  expect(queue.remove('a1')).toBe(true)
  expect(queue.remove('a1')).toBe(false)
  queue.push('a2', { client: 'a' })
  expect(drained(queue)).toEqual(['b1', 'a2'])
  expect(queue.length).toBe(0)
})
