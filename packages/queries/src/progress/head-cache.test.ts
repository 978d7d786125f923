import type { Db } from '@shardwalk/db'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HeadCache } from './head-cache.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** The head when a read begins; it is there after `delayMs`. */
function slowHead(delayMs: () => number) {
  let seqno = 0
  const head = new HeadCache({} as Db, async () => {
    const range = { from: 1, to: ++seqno }
    await new Promise((resolve) => setTimeout(resolve, delayMs()))
    return { range, snapshot: `${seqno}`, globalId: -239 }
  })
  /** The newest block and how long it was waited for. */
  return async () => {
    const start = performance.now()
    const { range } = await head.read()
    return { to: range!.to, waitedMs: performance.now() - start }
  }
}

const after = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('requests that keep coming do not wait, however slow the database is', async () => {
  const read = slowHead(() => 90)
  void read()
  await after(90)
  for (let i = 0; i < 100; i++) {
    expect((await read()).waitedMs).toBe(0)
    await after(10)
  }
  expect((await read()).to).toBeGreaterThan(8)
})

test('a request after a pause waits for the present head', async () => {
  const read = slowHead(() => 10)
  void read()
  await after(150)
  const late = read()
  await after(10)
  expect(await late).toEqual({ to: 2, waitedMs: 10 })
})

test('nothing older than a quarter of a second is returned while the database hangs', async () => {
  let delayMs = 10
  const read = slowHead(() => delayMs)
  void read()
  await after(10)
  delayMs = 10_000
  let answered = 0
  for (let i = 0; i < 50; i++) {
    void read().then(() => answered++)
    await after(10)
  }
  expect(answered).toBeLessThanOrEqual(25)
})
