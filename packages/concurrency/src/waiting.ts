import { setTimeout as delay } from 'node:timers/promises'

/** Waits; returns early when the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal && { signal }).catch(() => {})
}

/** The result of `work`, or a rejection with `late()` when it takes longer. The work itself goes on. */
export async function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const over = new AbortController()
  const deadline = delay(ms, undefined, { signal: over.signal }).then(() => Promise.reject(late()))
  // Rejects when it is cancelled, too.
  deadline.catch(() => {})
  return Promise.race([work, deadline]).finally(() => over.abort())
}

export interface LoopOptions {
  readonly signal: AbortSignal
  /** Told of every failure, with the milliseconds until the next try. */
  readonly onError: (error: unknown, retryInMs: number) => void
  readonly firstDelayMs?: number
  readonly maxDelayMs?: number
}

/**
 * Repeats `step` until the signal aborts. A step that fails is tried again after a growing delay; errors
 * never end the loop.
 */
export async function loopUntilAborted(step: () => Promise<void>, options: LoopOptions): Promise<void> {
  const { signal, firstDelayMs = 250, maxDelayMs = 5_000 } = options
  for (let failures = 0; !signal.aborted; ) {
    try {
      await step()
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(failures++, 10))
      options.onError(error, delayMs)
      await sleep(delayMs, signal)
    }
  }
}

/** Sleep that others can end: for loops that poll and are also told when there is work. */
export class Alarm {
  private isRung = false
  private wake: () => void = () => {}

  /** Ends the running wait; when there is none, the next one ends at once. */
  ring(): void {
    this.isRung = true
    this.wake()
  }

  /** Until the alarm rings, the time is over or the signal aborts. */
  async wait(atMostMs: number, signal: AbortSignal): Promise<void> {
    if (!this.isRung && !signal.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(finish, atMostMs)
        signal.addEventListener('abort', finish)
        this.wake = finish
        function finish(): void {
          clearTimeout(timer)
          signal.removeEventListener('abort', finish)
          resolve()
        }
      })
    this.isRung = false
    this.wake = () => {}
  }
}
