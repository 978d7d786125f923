import { expect, test } from 'vitest'
import { RecentRequests } from './recent-requests.ts'

/** Requests of 5 to 100 ms, so many per second for so many seconds; a clock that can be moved on. */
function after(perSecond: number, seconds: number) {
  const clock = { ms: 5000 }
  const requests = new RecentRequests(() => clock.ms)
  for (let i = 0; i < perSecond * seconds; i++) {
    clock.ms += 1000 / perSecond
    requests.note(5 * ((i % 20) + 1))
  }
  return { clock, requests }
}

test.each([
  ['few', 2, 120],
  ['more than are kept', 1000, 120],
  ['since a start ten seconds ago', 20, 10],
])('rate and times of requests: %s', (_, perSecond, seconds) => {
  const { perSecond: rate, p50, p99 } = after(perSecond, seconds).requests.read()
  expect(Math.abs(rate - perSecond) / perSecond).toBeLessThan(0.02)
  expect([50, 55]).toContain(p50)
  expect(p99).toBe(100)
})

test('requests of more than a minute ago do not count', () => {
  const { clock, requests } = after(100, 10)
  clock.ms += 60_000
  expect(requests.read()).toEqual({ perSecond: 0, p50: undefined, p99: undefined })
})
