import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ByteLimits, ByteRoom, ByteShare } from './index.ts'

const MEBIBYTE = 1_048_576
const MAX_WAIT_MS = 1_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Limits in MiB. */
function roomOf(bytes: number, bytesPerClient = bytes) {
  const limits: ByteLimits = { bytes: bytes * MEBIBYTE, bytesPerClient: bytesPerClient * MEBIBYTE }
  return new ByteRoom(limits, { maxWaitMs: MAX_WAIT_MS, refusal: (limit) => new Error(limit) })
}

/** A piece of work that wants so many MiB, and what became of that. */
function wanting(room: ByteRoom, client: string | undefined, mebibytes: number) {
  const share = new ByteShare(room, client)
  const work = { share, state: 'waits' }
  share.take(mebibytes * MEBIBYTE).then(
    () => {
      work.state = 'has it'
    },
    (error: Error) => {
      work.state = error.message
    },
  )
  return work
}

const settled = () => vi.advanceTimersByTimeAsync(0)
const statesOf = (works: readonly { readonly state: string }[]) => works.map(({ state }) => state)

test('work waits in its order, and what is small does not pass by what is large', async () => {
  const room = roomOf(10)
  const works = [8, 6, 1, 4].map((size, i) => wanting(room, `client ${i}`, size))
  await settled()
  expect([statesOf(works), room.waiting]).toEqual([['has it', 'waits', 'waits', 'waits'], 3])
  works[0]!.share.end()
  await settled()
  expect([statesOf(works), room.waiting]).toEqual([['has it', 'has it', 'has it', 'waits'], 1])
  for (const { share } of works) share.end()
  await settled()
  expect([room.held, room.waiting]).toEqual([0, 0])
})

test('a client that holds too much waits without delaying others', async () => {
  const room = roomOf(20, 5)
  const works = ['greedy', 'greedy', 'modest', undefined].map((client) => wanting(room, client, 4))
  await settled()
  expect(statesOf(works)).toEqual(['has it', 'waits', 'has it', 'has it'])
  const late = wanting(room, 'late', 5)
  const later = wanting(room, 'later', 5)
  await settled()
  expect(statesOf([late, later])).toEqual(['has it', 'waits'])
  works[3]!.share.end()
  await settled()
  expect(statesOf([works[1]!, later])).toEqual(['waits', 'has it'])
  works[0]!.share.end()
  await settled()
  expect(works[1]!.state).toBe('has it')
})

test('who waits too long is refused, by the limit that lacks', async () => {
  const room = roomOf(10, 5)
  const works = [wanting(room, 'a', 4), wanting(room, 'a', 4), wanting(room, 'b', 5), wanting(room, 'c', 4)]
  await vi.advanceTimersByTimeAsync(MAX_WAIT_MS)
  expect(statesOf(works)).toEqual(['has it', 'client', 'has it', 'all'])
  expect(room.waiting).toBe(0)
  const share = new ByteShare(room, 'a')
  expect(() => share.hold(4 * MEBIBYTE)).toThrow('client')
})

test('work that ends while it waits for more gives back what it has, and lets the next one in', async () => {
  const room = roomOf(6)
  const leaving = wanting(room, 'a', 4)
  await settled()
  const more = leaving.share.take(4 * MEBIBYTE)
  const next = wanting(room, 'b', 5)
  leaving.share.end()
  await expect(more).rejects.toThrow('the work has ended')
  await settled()
  expect([next.state, room.held, room.waiting]).toEqual(['has it', 5 * MEBIBYTE, 0])
})

test('work that ends while others hold everything waits no more', async () => {
  const room = roomOf(6)
  const holding = wanting(room, 'a', 6)
  const leaving = wanting(room, 'b', 4)
  await settled()
  leaving.share.end()
  await settled()
  expect([holding.state, leaving.state, room.waiting]).toEqual(['has it', 'the work has ended', 0])
})

test('little is never counted, nor is what comes after the end', async () => {
  const room = roomOf(0)
  const share = new ByteShare(room, 'a')
  share.hold(65_536)
  await share.take(65_536)
  expect(() => share.hold(65_537)).toThrow('client')
  share.end()
  share.hold(MEBIBYTE)
  expect(room.held).toBe(0)
})
