import { expect, test } from 'vitest'
import { RateWatch } from './progress-rate.ts'

test('the time left follows from how fast missing blocks become fewer, not from how many are indexed', () => {
  const watch = new RateWatch()
  expect(watch.add({ at: 0, indexed: 100, missing: 1000 }).blocksPerSecond).toBeUndefined()
  // 110 were indexed, 10 of them new at the head.
  expect(watch.add({ at: 10_000, indexed: 210, missing: 900 })).toEqual({
    blocksPerSecond: 11,
    secondsLeft: 90,
  })
})

test('the time left is unknown while the head moves faster than blocks are indexed', () => {
  const watch = new RateWatch()
  watch.add({ at: 0, indexed: 0, missing: 10 })
  expect(watch.add({ at: 5000, indexed: 10, missing: 15 })).toEqual({
    blocksPerSecond: 2,
    secondsLeft: undefined,
  })
})

test('blocks that were removed, as by a repair, start the watch again', () => {
  const watch = new RateWatch()
  watch.add({ at: 0, indexed: 100, missing: 0 })
  expect(watch.add({ at: 9000, indexed: 50, missing: 50 }).blocksPerSecond).toBeUndefined()
})
