import { expect, test } from 'vitest'
import { RecentFaults } from './recent-faults.ts'

test('faults count for five minutes, by class', () => {
  const faults = new RecentFaults()
  faults.note('timeouts', 1_000)
  faults.note('timeouts', 200_000)
  faults.note('disconnects', 299_000)
  const none = { timeouts: 0, rate_limits: 0, wrong_answers: 0, disconnects: 0 }
  expect(faults.read(299_999)).toEqual({ ...none, timeouts: 2, disconnects: 1 })
  expect(faults.read(330_000)).toEqual({ ...none, timeouts: 1, disconnects: 1 })
  expect(faults.read(700_000)).toEqual(none)
})
