import { sleep } from '@shardwalk/concurrency'
import type { WaitOptions } from '@shardwalk/pipeline'

/** Time that a wait without `timeoutMs` gets: every wait ends. */
const DEFAULT_WAIT_MS = 10_000

/** What waiting for a block means on a source that never grows. */
export async function waitInVain({ timeoutMs = DEFAULT_WAIT_MS, signal }: WaitOptions): Promise<undefined> {
  await sleep(timeoutMs, signal)
  signal?.throwIfAborted()
}
