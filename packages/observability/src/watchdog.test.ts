import { afterEach, expect, test, vi } from 'vitest'
import { createShutdown, EXIT } from './shutdown.ts'
import { createWatchdog } from './watchdog.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a process exits, to be restarted, when a part has been silent for the limit', async () => {
  let now = 0
  const exits: number[] = []
  const shutdown = createShutdown({ exit: (code) => exits.push(code) })
  const watchdog = createWatchdog({ shutdown, limitMs: 1000, now: () => now })
  const queue = watchdog.watch('queue')
  const sweep = watchdog.watch('sweep')
  now = 900
  queue()
  sweep()
  now = 1800
  watchdog.check()
  expect(shutdown.signal.aborted).toBe(false)
  sweep()
  now = 1900
  watchdog.check()
  await shutdown.run()
  expect(exits).toEqual([EXIT.tryAgain])
})

test('the time for which a process was suspended is not the silence of its parts', async () => {
  vi.useFakeTimers()
  let now = 0
  const shutdown = createShutdown({ exit: () => {} })
  createWatchdog({ shutdown, limitMs: 1000, now: () => now }).watch('queue')
  const passes = (ms: number) => {
    now += ms
    vi.advanceTimersByTime(250)
  }
  passes(250)
  passes(5000)
  for (let look = 0; look < 2; look++) passes(250)
  expect(shutdown.signal.aborted).toBe(false)
  for (let look = 0; look < 2; look++) passes(250)
  expect(shutdown.signal.aborted).toBe(true)
  await shutdown.run()
})

test('a part that ran between a suspension and the next check has the same limit as others', async () => {
  vi.useFakeTimers()
  let now = 0
  const shutdown = createShutdown({ exit: () => {} })
  const sign = createWatchdog({ shutdown, limitMs: 1000, now: () => now }).watch('queue')
  now += 3_600_000
  sign()
  for (let look = 0; look < 4; look++) {
    vi.advanceTimersByTime(250)
    expect(shutdown.signal.aborted).toBe(false)
    now += 250
  }
  vi.advanceTimersByTime(250)
  expect(shutdown.signal.aborted).toBe(true)
  await shutdown.run()
})
