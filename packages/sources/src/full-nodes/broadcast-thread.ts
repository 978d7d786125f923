// Reads blocks of broadcasts beside the thread that receives datagrams, which must not wait for it.
import { parentPort } from 'node:worker_threads'
import { type ThreadReply, type ThreadRequest, threadCpuMs } from '@shardwalk/concurrency'
import { isBlockBroadcast, type ReceivedBlock, readBlockBroadcast } from '@shardwalk/full-node'
import { DecodeError } from '@shardwalk/model'
import { decodeUnion, tonNodeBroadcast } from '@shardwalk/tl'

parentPort?.on('message', ({ task, payload }: ThreadRequest) =>
  parentPort?.postMessage({ task, result: timed(payload as Uint8Array) } satisfies ThreadReply),
)

/** What is read, or why not, and the milliseconds for which a processor worked on it. */
export type ReadInThread = { readonly cpuMs: number } & (
  | { readonly block: ReceivedBlock }
  | { readonly error: Error }
)

function timed(payload: Uint8Array): ReadInThread {
  const before = threadCpuMs()
  try {
    const block = read(payload)
    return { block, cpuMs: threadCpuMs() - before }
  } catch (error) {
    return { error: error as Error, cpuMs: threadCpuMs() - before }
  }
}

function read(payload: Uint8Array): ReceivedBlock {
  const broadcast = decodeUnion(tonNodeBroadcast, Buffer.from(payload))
  if (!isBlockBroadcast(broadcast)) throw new DecodeError(broadcast.kind, 'is no block')
  return readBlockBroadcast(broadcast)
}
