import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import {
  Alarm,
  abortWith,
  IdleTimer,
  loopUntilAborted,
  sleep,
  untilAborted,
  withDeadline,
  withTimeLimit,
} from './index.ts'

const HOUR_MS = 3_600_000
const never = new AbortController().signal

test('a sleep ends without an error when its signal aborts, before or during it', async () => {
  const controller = new AbortController()
  const sleeping = sleep(HOUR_MS, controller.signal)
  controller.abort(new Error('stop'))
  await sleeping
  await sleep(HOUR_MS, controller.signal)
})

test('work in time gives its result, late work the error of the deadline', async () => {
  await expect(withDeadline(Promise.resolve(7), HOUR_MS, () => new Error('late'))).resolves.toBe(7)
  await expect(
    withDeadline(Promise.reject(new Error('own')), HOUR_MS, () => new Error('late')),
  ).rejects.toThrow('own')
  await expect(withDeadline(new Promise(() => {}), 1, () => new Error('late'))).rejects.toThrow('late')
})

test('work gives its result until the signal aborts, then the reason of the signal', async () => {
  const controller = new AbortController()
  await expect(untilAborted(Promise.resolve(7), controller.signal)).resolves.toBe(7)
  const waiting = untilAborted(new Promise(() => {}), controller.signal)
  controller.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
  await expect(untilAborted(new Promise(() => {}), controller.signal)).rejects.toThrow('stop')
})

test('work gets a signal of its limit and of the one given, and neither lasts longer than it', async () => {
  const controller = new AbortController()
  const untilAborted = (limited: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const fail = () => reject(limited.reason as Error)
      limited.addEventListener('abort', fail)
      if (limited.aborted) fail()
    })
  await expect(withTimeLimit(1, controller.signal, untilAborted)).rejects.toThrow('not within 1 ms')
  await expect(withTimeLimit(1, undefined, untilAborted)).rejects.toThrow('not within 1 ms')
  let kept: AbortSignal | undefined
  const ended = withTimeLimit(HOUR_MS, controller.signal, async (limited) => {
    kept = limited
    return 7
  })
  expect(await ended).toBe(7)
  const waiting = withTimeLimit(HOUR_MS, controller.signal, untilAborted)
  controller.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
  await expect(withTimeLimit(HOUR_MS, controller.signal, untilAborted)).rejects.toThrow('stop')
  expect(kept!.aborted).toBe(false)
})

test('a controller aborts with another signal until it is unlinked, which leaves nothing there', () => {
  const source = new AbortController()
  const targets = [0, 1, 2].map(() => new AbortController())
  const [unlink] = targets.slice(0, 2).map((target) => abortWith(target, source.signal))
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(2)
  unlink!()
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(1)
  source.abort(new Error('stop'))
  abortWith(targets[2]!, source.signal)
  expect(targets.map(({ signal }) => signal.reason?.message)).toEqual([undefined, 'stop', 'stop'])
})

test('an idle timer counts from the last touch, and not at all once stopped', () => {
  vi.useFakeTimers()
  try {
    let idle = 0
    const timer = new IdleTimer(100, () => idle++)
    vi.advanceTimersByTime(99)
    timer.touch()
    vi.advanceTimersByTime(99)
    expect(idle).toBe(0)
    vi.advanceTimersByTime(1)
    expect(idle).toBe(1)
    timer.touch()
    timer.stop()
    vi.advanceTimersByTime(1_000)
    expect(idle).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

test('a loop continues after failures with increasing delays and ends with its signal', async () => {
  const controller = new AbortController()
  const delays: number[] = []
  let steps = 0
  await loopUntilAborted(
    async () => {
      steps++
      if (steps === 5) controller.abort()
      else throw new Error(`step ${steps}`)
    },
    {
      signal: controller.signal,
      firstDelayMs: 1,
      maxDelayMs: 4,
      onError: (_, retryInMs) => delays.push(retryInMs),
    },
  )
  expect(delays).toEqual([1, 2, 4, 4])
})

test('an alarm ends the current wait, or the next one if there is none', async () => {
  const alarm = new Alarm()
  const waiting = alarm.wait(HOUR_MS, never)
  alarm.ring()
  await waiting
  alarm.ring()
  await alarm.wait(HOUR_MS, never)
  await alarm.wait(1, never)
  await alarm.wait(HOUR_MS, AbortSignal.abort())
})
