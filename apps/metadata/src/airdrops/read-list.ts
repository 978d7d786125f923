import { startThread } from '@shardwalk/concurrency'
import type { AirdropColumns } from '@shardwalk/contracts'

/** Posted to the thread that reads lists of mintless jettons. */
export interface ListRequest {
  readonly boc: Uint8Array<ArrayBuffer>
  readonly root: Uint8Array
}
/** The list, or why it cannot be used. */
export type ListReply = { readonly columns: AirdropColumns } | { readonly problem: string }

/** The file is not the list that the jetton commits to. */
export class BadList extends Error {
  override readonly name = 'BadList'
}

const SCRIPT = new URL('./list-thread.ts', import.meta.url)
/** A gibibyte of cells takes half a minute. */
const DEADLINE_MS = 180_000

/**
 * Reads a list, a bag of cells whose root has the hash `root`, in a separate thread. Throws `BadList`, and
 * other errors if the thread fails, takes too long or is aborted.
 */
export async function readList(boc: Buffer, root: Buffer, signal: AbortSignal): Promise<AirdropColumns> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  const worker = startThread(SCRIPT)
  try {
    const reply = await new Promise<ListReply>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread of the list ended with code ${code}`)))
      deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
      const bytes = new Uint8Array(boc)
      worker.postMessage({ boc: bytes, root } satisfies ListRequest, [bytes.buffer])
    })
    if ('problem' in reply) throw new BadList(reply.problem)
    return reply.columns
  } finally {
    await worker.terminate()
  }
}
