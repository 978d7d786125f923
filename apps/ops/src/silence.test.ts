import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { killWhenSilent } from './silence.ts'

class FakeProcess extends EventEmitter {
  readonly kill = vi.fn()
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const LIMIT_MS = 60_000

test('a process that gives signs lives, one that stops giving them is killed once', () => {
  const child = new FakeProcess()
  const onKill = vi.fn()
  killWhenSilent(child, onKill, LIMIT_MS)
  for (let second = 0; second < 300; second++) {
    vi.advanceTimersByTime(1000)
    child.emit('message', { type: 'alive' })
  }
  vi.advanceTimersByTime(LIMIT_MS - 1)
  expect(child.kill).not.toHaveBeenCalled()
  vi.advanceTimersByTime(LIMIT_MS)
  expect(child.kill).toHaveBeenCalledExactlyOnceWith('SIGKILL')
  vi.advanceTimersByTime(10 * LIMIT_MS)
  expect(onKill).toHaveBeenCalledOnce()
  expect(child.kill).toHaveBeenCalledOnce()
})

test('a process that has ended is not killed', () => {
  const child = new FakeProcess()
  killWhenSilent(child, () => {}, LIMIT_MS)
  child.emit('exit')
  vi.advanceTimersByTime(10 * LIMIT_MS)
  expect(child.kill).not.toHaveBeenCalled()
})
