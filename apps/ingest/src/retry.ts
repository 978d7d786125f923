import { setTimeout as delay } from 'node:timers/promises'

export interface LoopOptions {
  readonly signal: AbortSignal
  /** Told of every failure, with the milliseconds until the next try. */
  readonly onError: (error: unknown, retryInMs: number) => void
  readonly firstDelayMs?: number
  readonly maxDelayMs?: number
}

/** Runs `step` again and again until the signal aborts. A failing step is repeated after a growing delay: loops never end by an error. */
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
      await pause(delayMs, signal)
    }
  }
}

/** Waits; returns early when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
