import type { Clock } from '../clock.ts'

export interface Hedge<T> {
  /** Starts the second attempt; undefined when nobody is there to make it. */
  readonly second: () => Promise<T> | undefined
  readonly afterMs: number
  readonly clock: Clock
}

/**
 * Asks a second time when the first attempt takes unusually long, and takes whichever succeeds first. When the first attempt fails
 * early there is no second; when both fail, the first one's error counts.
 */
export function hedged<T>(first: Promise<T>, { second, afterMs, clock }: Hedge<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let other: Promise<T> | undefined
    const timer = clock.setTimeout(() => {
      other = second()
      other?.then(resolve, () => {
        // The first attempt decides then.
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
