import { expect, test } from 'vitest'
import { mapPaced, nextTurn, Pace } from './turns.ts'

const keepBusy = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Iterations of the event loop until the work is done. */
async function iterationsDuring(work: Promise<unknown>): Promise<number> {
  let count = 0
  let isDone = false
  const next = () => {
    count++
    if (!isDone) setImmediate(next)
  }
  setImmediate(next)
  await work
  isDone = true
  return count
}

test('one of those who wait goes on per iteration of the event loop, the first first', async () => {
  const order: number[] = []
  const all = [1, 2, 3, 4, 5].map(async (name) => {
    await nextTurn()
    order.push(name)
  })
  expect(await iterationsDuring(Promise.all(all))).toBeGreaterThanOrEqual(4)
  expect(order).toEqual([1, 2, 3, 4, 5])
})

test('short work never waits, long work does after its turn', async () => {
  const pace = new Pace()
  expect(pace.rest()).toBeUndefined()
  keepBusy(6)
  expect(pace.rest()).toBeInstanceOf(Promise)
})

test('many who work for long at once leave the event loop free between any two of their turns', async () => {
  const work = Array.from({ length: 4 }, () =>
    mapPaced([1, 2, 3], (value) => {
      keepBusy(6)
      return 2 * value
    }),
  )
  const done = Promise.all(work)
  expect(await iterationsDuring(done)).toBeGreaterThanOrEqual(12)
  expect((await done)[0]).toEqual([2, 4, 6])
})
