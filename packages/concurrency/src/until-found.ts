interface Timers {
  setTimeout(callback: () => void, ms: number): unknown
  clearTimeout(handle: unknown): void
}

const ownTimers: Timers = {
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

/** Something that appears with an event. */
export interface Search<T> {
  /** Called at once and after every event. */
  readonly look: () => T | undefined
  /** Calls back after every event, until the returned function is called. */
  readonly listen: (onEvent: () => void) => () => void
  readonly timeoutMs: number
  readonly signals: readonly (AbortSignal | undefined)[]
  /** Default: those of the process. */
  readonly timers?: Timers
}

/** What is found; undefined after `timeoutMs`. Rejects with the reason of a signal that aborts before. */
export function untilFound<T>({ look, listen, timeoutMs, ...search }: Search<T>): Promise<T | undefined> {
  const { timers = ownTimers } = search
  const signals = search.signals.filter((signal) => signal !== undefined)
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      timers.clearTimeout(timer)
      stopListening()
      for (const signal of signals) signal.removeEventListener('abort', check)
      settle()
    }
    const check = () => {
      const aborted = signals.find((signal) => signal.aborted)
      const found = aborted ? undefined : look()
      if (aborted) end(() => reject(aborted.reason as Error))
      else if (found !== undefined) end(() => resolve(found))
    }
    const timer = timers.setTimeout(() => end(() => resolve(undefined)), timeoutMs)
    const stopListening = listen(check)
    for (const signal of signals) signal.addEventListener('abort', check)
    check()
  })
}
