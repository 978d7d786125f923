import { setTimeout as delay } from 'node:timers/promises'

/** Limit of what is waited for where its time is not what is tested: a busy machine takes its time. */
export const PATIENCE_MS = 240_000

/**
 * Waits until a condition holds. On timeout, the error has what was waited for and what was seen last.
 * `everyMs`: longer for what a process must work to answer.
 */
export async function waitUntil(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  {
    timeoutMs = PATIENCE_MS,
    everyMs = 100,
    seen = () => '',
  }: { readonly timeoutMs?: number; readonly everyMs?: number; readonly seen?: () => string } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms\n${seen()}`)
    await delay(everyMs)
  }
}

/** The value, or an error with what did not arrive in time. */
export async function within<T>(what: string, timeoutMs: number, value: Promise<T>): Promise<T> {
  const late = new AbortController()
  const timeout = delay(timeoutMs, undefined, { signal: late.signal }).then(
    () => {
      throw new Error(`${what}: not within ${timeoutMs} ms`)
    },
    () => new Promise<never>(() => {}),
  )
  return Promise.race([value, timeout]).finally(() => late.abort())
}
