import { expect, test } from 'vitest'
import { ResumeTurns } from './resume-turns.ts'

const LONG_MS = 1_000_000

/** Ends what is awaited now, and what follows at once. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Reads that end when the test says so. */
function reads(turns: ResumeTurns) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const read = (client: string) =>
    turns.take(client, () => {
      begun.push(client)
      return new Promise<void>((resolve) => {
        ends.push(resolve)
      })
    })
  const endOne = async () => {
    ends.shift()!()
    await settled()
  }
  return { begun, read, endOne }
}

test('one piece is read at a time, and clients take turns', async () => {
  const turns = new ResumeTurns({ untilPublished: async () => {} })
  const { begun, read, endOne } = reads(turns)
  const all = [...Array.from({ length: 50 }, () => read('greedy')), read('modest')]
  await settled()
  expect([begun, turns.waiting]).toEqual([['greedy'], 50])
  await endOne()
  await endOne()
  expect(begun).toEqual(['greedy', 'greedy', 'modest'])
  while (begun.length < all.length) await endOne()
  await endOne()
  await Promise.all(all)
  expect(turns.waiting).toBe(0)
})

test('none begins while a block is published', async () => {
  let published = () => {}
  const publishing = new Promise<void>((resolve) => {
    published = resolve
  })
  const { begun, read, endOne } = reads(new ResumeTurns({ untilPublished: () => publishing }, LONG_MS))
  const one = read('client')
  await settled()
  expect(begun).toEqual([])
  published()
  await settled()
  expect(begun).toEqual(['client'])
  await endOne()
  await one
})

test('blocks without a pause do not keep history from being read, nor does a read that fails', async () => {
  const turns = new ResumeTurns({ untilPublished: () => new Promise(() => {}) }, 1)
  const failing = turns.take('client', async () => {
    throw new Error('lost')
  })
  const next = turns.take('client', async () => 'read')
  await expect(failing).rejects.toThrow('lost')
  expect(await next).toBe('read')
})
