import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { whileLeased } from './index.ts'

const LEASE = { prolongAfterMs: 5_000 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Work that ends when the test says so. */
function openEnded() {
  let end = (_: number) => {}
  const ended = new Promise<number>((resolve) => {
    end = resolve
  })
  return { work: () => ended, end }
}

test('a lease is prolonged until the work ends, and not after it', async () => {
  const { work, end } = openEnded()
  const prolong = vi.fn(async () => {})
  const result = whileLeased(work, prolong, LEASE)
  await vi.advanceTimersByTimeAsync(16_000)
  expect(prolong).toHaveBeenCalledTimes(3)
  end(7)
  await expect(result).resolves.toBe(7)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(prolong).toHaveBeenCalledTimes(3)
})

test('a lease that could not be prolonged once is prolonged again, and the work goes on', async () => {
  const { work, end } = openEnded()
  const prolong = vi.fn(async () => {}).mockRejectedValueOnce(new Error('the database is away'))
  const result = whileLeased(work, prolong, LEASE)
  await vi.advanceTimersByTimeAsync(11_000)
  expect(prolong).toHaveBeenCalledTimes(2)
  end(7)
  await expect(result).resolves.toBe(7)
})

test('the end of work waits for a lease that is being prolonged: it would undo what follows', async () => {
  const { work, end } = openEnded()
  const prolonging = openEnded()
  const result = vi.fn()
  const leased = whileLeased(work, prolonging.work, LEASE).then(result)
  await vi.advanceTimersByTimeAsync(6_000)
  end(7)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(result).not.toHaveBeenCalled()
  prolonging.end(0)
  await leased
  expect(result).toHaveBeenCalledWith(7)
})

test('work can end the prolonging before its own end', async () => {
  const { work, end } = openEnded()
  const prolong = vi.fn(async () => {})
  const result = whileLeased(
    async (endLease) => {
      await endLease()
      return work()
    },
    prolong,
    LEASE,
  )
  await vi.advanceTimersByTimeAsync(60_000)
  expect(prolong).not.toHaveBeenCalled()
  end(7)
  await expect(result).resolves.toBe(7)
})

test('the error of work is passed on, and its lease is left to end', async () => {
  const prolong = vi.fn(async () => {})
  const failed = whileLeased(() => Promise.reject(new Error('own')), prolong, LEASE)
  await expect(failed).rejects.toThrow('own')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(prolong).not.toHaveBeenCalled()
})
