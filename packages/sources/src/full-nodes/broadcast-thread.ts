// Reads blocks of broadcasts beside the thread that receives datagrams, which must not wait for it.
import { parentPort } from 'node:worker_threads'
import type { ThreadReply, ThreadRequest } from '@shardwalk/concurrency'
import { isBlockBroadcast, readBlockBroadcast } from '@shardwalk/full-node'
import { DecodeError } from '@shardwalk/model'
import { decodeUnion, tonNodeBroadcast } from '@shardwalk/tl'

parentPort?.on('message', ({ task, payload }: ThreadRequest) =>
  parentPort?.postMessage(replyTo(task, payload as Uint8Array)),
)

function replyTo(task: number, payload: Uint8Array): ThreadReply {
  try {
    const broadcast = decodeUnion(tonNodeBroadcast, Buffer.from(payload))
    if (!isBlockBroadcast(broadcast)) throw new DecodeError(broadcast.kind, 'is no block')
    return { task, result: readBlockBroadcast(broadcast) }
  } catch (error) {
    return { task, error: error as Error }
  }
}
