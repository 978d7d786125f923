import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { ProcessGuard } from '@shardwalk/embedded-postgres'

const guard = new ProcessGuard([
  ['TERM', 5_000],
  ['KILL', 0],
])
const guarded = new Set<number>()

/** Ends the process when the tests are gone, even if they were killed. */
export function endWithTests(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  guarded.add(pid)
  guard.set([...guarded])
  child.once('exit', () => {
    guarded.delete(pid)
    guard.set([...guarded])
  })
}

/** Waits until a condition holds. On timeout, the error has what was waited for and what was seen last. */
export async function waitUntil(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  { timeoutMs, seen = () => '' }: { readonly timeoutMs: number; readonly seen?: () => string },
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms\n${seen()}`)
    await delay(100)
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
