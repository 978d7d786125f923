// Worker thread for tasks that are too large for the thread that answers requests.
import { parentPort } from 'node:worker_threads'
import type { ThreadReply, ThreadRequest } from '@shardwalk/concurrency'
import { toOutcome } from './outcome.ts'
import { TASKS, type TaskName } from './tasks.ts'

/** A message to a thread. */
export interface ThreadTask {
  readonly name: TaskName
  readonly input: unknown
}

parentPort!.on('message', ({ task, payload }: ThreadRequest) => {
  parentPort!.postMessage(answer(task, payload as ThreadTask))
})

function answer(task: number, { name, input }: ThreadTask): ThreadReply {
  try {
    const work = TASKS[name] as (input: unknown) => unknown
    return { task, result: toOutcome(() => work(input)) }
  } catch (error) {
    return { task, error: error instanceof Error ? error : new Error(String(error)) }
  }
}
