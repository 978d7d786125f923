import { expect, test } from 'vitest'
import { RestartPolicy } from './restart-policy.ts'

test('a full disk is retried for ever at growing intervals; other failures five times', () => {
  const full = new RestartPolicy()
  const waits = Array.from({ length: 100 }, () => full.afterFailure({ diskFull: true }))
  expect(waits.slice(0, 4)).toEqual([250, 500, 1000, 2000])
  expect(waits.at(-1)).toBe(15_000)
  const other = new RestartPolicy()
  const others = Array.from({ length: 5 }, () => other.afterFailure({ diskFull: false }))
  expect(others).toEqual([250, 500, 1000, 2000, undefined])
})

test('a server that exits is restarted at once, one that exits soon after with a growing delay', () => {
  const policy = new RestartPolicy()
  expect([10, 10, 10, 10].map((alive) => policy.afterEnd(alive))).toEqual([0, 250, 500, 1000])
  expect(policy.afterEnd(3_600_000)).toBe(0)
})
