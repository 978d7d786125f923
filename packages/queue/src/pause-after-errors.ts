import { sleep } from '@shardwalk/concurrency'
import type { Worker } from 'bullmq'

const PAUSE_MS = 500

/** The inner part of the worker that its type hides. */
interface TakingJobs {
  moveToActive(...all: unknown[]): Promise<unknown>
}

/**
 * Makes a worker that does not run yet wait after its store has refused to give it a job. By itself it waits
 * only for a store that is away; one that answers with an error (a replica, a full memory, a missing
 * permission) is asked again at once, a thousand times a second.
 */
export function pauseAfterErrors(worker: Worker): void {
  const taking = worker as unknown as TakingJobs
  const take = taking.moveToActive.bind(worker)
  const takeOrPause = async (...all: unknown[]) => {
    try {
      return await take(...all)
    } catch (error) {
      await sleep(PAUSE_MS)
      throw error
    }
  }
  taking.moveToActive = takeOrPause
}
