import { setTimeout as delay } from 'node:timers/promises'

/** Waits; returns early if the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal && { signal }).catch(() => {})
}

/** How time passes: `realTime`, or simulated. */
export interface Time {
  /** Milliseconds since any moment; not set back. */
  now(): number
  /** As the function `sleep`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const realTime: Time = { now: () => performance.now(), sleep }

/** The result of `work`, or a rejection with `late()` after `ms`. The work itself continues. */
export async function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const over = new AbortController()
  const deadline = delay(ms, undefined, { signal: over.signal }).then(() => Promise.reject(late()))
  // Also rejects when cancelled.
  deadline.catch(() => {})
  return Promise.race([work, deadline]).finally(() => over.abort())
}

/**
 * The result of `work`, whose signal aborts with the given one, if any, or after `ms`. Nothing outlives the
 * work: `AbortSignal.timeout` and `AbortSignal.any` keep what listens, and all that it holds, until the time
 * is up.
 */
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  const unlink = signal && abortWith(ended, signal)
  const timer = setTimeout(() => ended.abort(new Error(`not within ${ms} ms`)), ms)
  try {
    return await work(ended.signal)
  } finally {
    clearTimeout(timer)
    unlink?.()
  }
}

/**
 * Aborts `target` when `source` aborts, until the returned function is called. After that `source` holds
 * nothing of it: of `AbortSignal.any`, a signal that lives long keeps some bytes for ever.
 */
export function abortWith(target: AbortController, source: AbortSignal): () => void {
  const onAbort = () => target.abort(source.reason)
  if (source.aborted) onAbort()
  source.addEventListener('abort', onAbort, { once: true })
  return () => source.removeEventListener('abort', onAbort)
}

/** The result of `work`, or the signal's reason if that aborts first. The work itself continues. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Always handled: a failure after the abort would otherwise be an unhandled rejection.
  work.catch(() => {})
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
  return await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}

/** Calls `onIdle` once `limitMs` pass without `touch`. */
export class IdleTimer {
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly limitMs: number,
    private readonly onIdle: () => void,
  ) {
    this.touch()
  }

  touch(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(this.onIdle, this.limitMs)
  }

  stop(): void {
    clearTimeout(this.timer)
  }
}

/** When a loop ends, and how long it pauses after failures. Milliseconds. */
export interface LoopOptions {
  readonly signal: AbortSignal
  /** Called after every failure with the delay before the next attempt. */
  readonly onError: (error: unknown, retryInMs: number) => void
  readonly firstDelayMs?: number
  readonly maxDelayMs?: number
}

/**
 * Repeats `step` until the signal aborts. A failing step is retried with increasing delays; errors never end
 * the loop.
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

const nothing = () => {}

/** An interruptible sleep, for loops that poll and are also notified of work. */
export class Alarm {
  private isRung = false
  private wake: () => void = nothing

  /** Ends the current wait; if there is none, the next one returns at once. */
  ring(): void {
    this.isRung = true
    this.wake()
  }

  /** Returns when the alarm rings, after `atMostMs`, or when the signal aborts. */
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
    this.wake = nothing
  }
}
