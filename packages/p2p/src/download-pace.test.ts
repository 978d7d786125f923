import { expect, test } from 'vitest'
import { DownloadPace } from './download-pace.ts'

/** Milliseconds that twenty downloads of 10,000 bytes take. */
async function timeOfTwenty(pace: DownloadPace): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < 20; i++) {
    pace.received(10_000)
    await pace.rest()
  }
  return performance.now() - start
}

test('downloads are not quicker than the limit', async () => {
  const limited = new DownloadPace(1_000_000)
  // Timers may end a millisecond early.
  expect(await timeOfTwenty(limited)).toBeGreaterThan(180)
  expect(limited.total).toBe(200_000)
})

test('without a limit nothing is waited for', async () => {
  const pace = new DownloadPace(undefined)
  let isDone = false
  void timeOfTwenty(pace).then(() => (isDone = true))
  for (let step = 0; step < 100; step++) await undefined
  expect(isDone).toBe(true)
})
