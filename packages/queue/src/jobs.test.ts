import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Job } from './index.ts'
import { jobId, MAX_JOB_SEQNOS, retryDelayMs } from './jobs.ts'

test('equal ranges have equal ids, others do not, and bullmq accepts them', () => {
  const range = fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: MAX_JOB_SEQNOS - 1 }))
  fc.assert(
    fc.property(range, range, ([a, n], [b, m]) => {
      const first = jobId({ name: 'index_gap', from: a, to: a + n })
      const second = jobId({ name: 'index_history', from: b, to: b + m })
      expect(first === second).toBe(a === b && n === m)
      expect(first).not.toMatch(/:|^\d+$/)
    }),
  )
})

test('a job spans a bounded, ascending range of possible seqnos', () => {
  const accepts = (from: number, to: number) => Job.safeParse({ name: 'index_head', from, to }).success
  expect(accepts(1, 1)).toBe(true)
  expect(accepts(1, MAX_JOB_SEQNOS)).toBe(true)
  for (const [from, to] of [
    [0, 1],
    [2, 1],
    [1, MAX_JOB_SEQNOS + 1],
    [1.5, 2],
    [2 ** 32, 2 ** 32],
  ] as const)
    expect(accepts(from, to)).toBe(false)
})

test('the head is retried within a second, history within half a minute', () => {
  for (const attempt of [1, 5, 50, 5000]) {
    expect(retryDelayMs('head', attempt)).toBeLessThanOrEqual(1_000)
    expect(retryDelayMs('backfill', attempt)).toBeLessThanOrEqual(30_000)
    expect(retryDelayMs('backfill', attempt + 1)).toBeGreaterThanOrEqual(retryDelayMs('backfill', attempt))
  }
})
