import type { WaitOptions } from '@shardwalk/pipeline'

/** Resolves when the time is over; rejects with the signal's reason when it is aborted first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    const abort = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Time that a wait without `timeoutMs` gets: every wait ends. */
const DEFAULT_WAIT_MS = 10_000

/** What waiting for a block means on a source that never grows. */
export async function waitInVain(options: WaitOptions): Promise<undefined> {
  await sleep(options.timeoutMs ?? DEFAULT_WAIT_MS, options.signal)
  return undefined
}
