import { setTimeout as delay } from 'node:timers/promises'

/** What `look` returns as long as there is nothing. */
type Nothing = undefined | false

/**
 * What another part of the system brings about, once `look` finds it. After `timeoutMs`, an error with what
 * was waited for and `seen`, what was seen last. `everyMs`: longer for what a process must work to answer.
 */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | Nothing> | T | Nothing,
  {
    timeoutMs = 60_000,
    everyMs = 20,
    seen = () => '',
  }: { readonly timeoutMs?: number; readonly everyMs?: number; readonly seen?: () => string } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms\n${seen()}`)
    await delay(everyMs)
  }
}
