import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@shardwalk/testkit'

/** Limit of what is waited for where its time is not what is tested: a busy machine takes its time. */
export const PATIENCE_MS = 240_000

/** As `waitFor`, with more patience. */
export const waitUntil: typeof waitFor = (what, look, options) =>
  waitFor(what, look, { timeoutMs: PATIENCE_MS, everyMs: 100, ...options })

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
