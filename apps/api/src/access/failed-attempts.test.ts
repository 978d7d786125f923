import { expect, test } from 'vitest'
import { FailedAttempts } from './failed-attempts.ts'

const ADDRESS = '192.0.2.1'

test('of attempts that begin at the same moment no more than the limit are made', async () => {
  const failures = new FailedAttempts()
  const waits = await Promise.all(Array.from({ length: 60 }, () => failures.begin(ADDRESS)))
  expect(waits.filter((seconds) => seconds === 0)).toHaveLength(20)
  expect(waits.every((seconds) => seconds === 0 || (seconds >= 1 && seconds <= 10))).toBe(true)
})

test('attempts that succeed or are refused do not count', async () => {
  const failures = new FailedAttempts()
  const begin = (count: number) => Promise.all(Array.from({ length: count }, () => failures.begin(ADDRESS)))
  await begin(60)
  await failures.succeed(ADDRESS)
  expect((await begin(2)).map((seconds) => seconds === 0)).toEqual([true, false])
})
