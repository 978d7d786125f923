const EVERY_MS = 10_000

/** Passes on what is reported at most once in ten seconds, first after as long. */
export function everyTenSeconds<T>(report: (progress: T) => void): (progress: T) => void {
  let last = performance.now()
  return (progress) => {
    if (performance.now() - last < EVERY_MS) return
    last = performance.now()
    report(progress)
  }
}
