import type { Clock } from '../clock.ts'

/** When and how a second attempt is made. `afterMs`: since the first one began. */
export interface Hedge<T> {
  /** Starts the second attempt; undefined if no server is available for it. */
  readonly second: () => Promise<T> | undefined
  readonly afterMs: number
  readonly clock: Clock
}

/**
 * Starts a second attempt if the first takes unusually long, and returns whichever succeeds first. There is
 * no second attempt if the first fails before `afterMs`. If both fail, the error is the first attempt's.
 */
export function hedged<T>(first: Promise<T>, { second, afterMs, clock }: Hedge<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let other: Promise<T> | undefined
    const timer = clock.setTimeout(() => {
      other = second()
      other?.then(resolve, () => {
        // Then the first attempt decides.
      })
    }, afterMs)
    first.then(
      (value) => {
        clock.clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clock.clearTimeout(timer)
        if (other) other.then(resolve, () => reject(error))
        else reject(error)
      },
    )
  })
}
