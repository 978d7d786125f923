import { sleep } from '@shardwalk/concurrency'
import type pg from 'pg'
import { unlessLocked } from './one-at-a-time.ts'

/** Longer than those who want a turn let pass between two attempts. Milliseconds. */
const PAUSE_MS = 500

/**
 * Runs long work on a partition. What waits for a lock on that partition meanwhile makes readers and writers
 * wait behind it; therefore migrations and retention come before or after it.
 */
export async function inTurn(
  client: pg.ClientBase,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const begun = performance.now()
    const isDone = await unlessLocked(client, 'migrations', () => work().then(() => true))
    await sleep(isDone ? Math.min(performance.now() - begun, PAUSE_MS) : PAUSE_MS, signal)
    if (isDone) return
  }
}
