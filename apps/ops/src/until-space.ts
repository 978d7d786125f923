import { sleep } from '@shardwalk/concurrency'
import { RestartPolicy } from './restart-policy.ts'

export interface UntilSpaceOptions {
  /** Whether a failure is due to a full disk. */
  readonly isFull: (error: unknown) => Promise<boolean>
  readonly onFull: (error: unknown) => Promise<void>
  readonly signal: AbortSignal
}

/** Repeats idempotent work at growing intervals while the disk is full. Throws any other failure. */
export async function untilSpace<T>(
  work: () => Promise<T>,
  { isFull, onFull, signal }: UntilSpaceOptions,
): Promise<T> {
  const policy = new RestartPolicy()
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || !(await isFull(error))) throw error
      await onFull(error)
      await sleep(policy.afterFailure({ diskFull: true }) ?? 0, signal)
    }
}
