// Restores blocks of symbols beside the thread that receives datagrams, which must not wait for it.
import { parentPort } from 'node:worker_threads'
import type { ThreadReply, ThreadRequest } from '@shardwalk/concurrency'
import { type BlockSymbols, restoreBlock } from '@shardwalk/raptorq'

parentPort?.on('message', ({ task, payload }: ThreadRequest) =>
  parentPort?.postMessage(replyTo(task, payload)),
)

function replyTo(task: number, payload: unknown): ThreadReply {
  try {
    return { task, result: restoreBlock(payload as BlockSymbols) }
  } catch (error) {
    return { task, error: error as Error }
  }
}
