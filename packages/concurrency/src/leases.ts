/** How long a lease lasts, and after how much of it a process that still works prolongs it. */
export interface Lease {
  readonly seconds: number
  readonly prolongAfterMs: number
}

/**
 * Of work in the queues of the database. Short, because it is how long the work of a process that was killed
 * waits for another; prolonged at a third of it, so that one attempt that fails costs nothing.
 */
export const LEASE: Lease = { seconds: 15, prolongAfterMs: 5_000 }

/**
 * The result of `work`, during which `prolong` is called repeatedly; never after it, nor after work has
 * awaited `end()`. If the lease cannot be prolonged it ends, and another process may do the same work beside
 * this one.
 */
export async function whileLeased<T>(
  work: (end: () => Promise<void>) => Promise<T>,
  prolong: () => Promise<unknown>,
  { prolongAfterMs }: Pick<Lease, 'prolongAfterMs'> = LEASE,
): Promise<T> {
  let prolonging: Promise<unknown> = Promise.resolve()
  let timer = setTimeout(onTimer, prolongAfterMs)
  let isOver = false
  function onTimer(): void {
    prolonging = prolong()
      .catch(() => {})
      .then(() => {
        if (!isOver) timer = setTimeout(onTimer, prolongAfterMs)
      })
  }
  const end = async () => {
    isOver = true
    clearTimeout(timer)
    await prolonging
  }
  try {
    return await work(end)
  } finally {
    await end()
  }
}
