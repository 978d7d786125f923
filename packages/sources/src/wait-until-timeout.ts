import { sleep } from '@shardwalk/concurrency'
import type { WaitOptions } from '@shardwalk/pipeline'

/** Timeout of a wait without `timeoutMs`. */
const DEFAULT_WAIT_MS = 10_000

/** Waits for a block of a source that never grows: resolves with undefined on timeout, rejects if aborted. */
export async function waitUntilTimeout(options: WaitOptions): Promise<undefined> {
  const { timeoutMs = DEFAULT_WAIT_MS, signal } = options
  await sleep(timeoutMs, signal)
  signal?.throwIfAborted()
}
