import type { Logger } from '@shardwalk/observability'
import type { BlockSource } from '@shardwalk/pipeline'
import type { JobQueue } from '@shardwalk/queue'
import { loopUntilAborted } from './retry.ts'
import type { IngestState } from './state.ts'

export interface FollowHeadOptions {
  readonly source: BlockSource
  readonly queue: Pick<JobQueue, 'add'>
  readonly state: IngestState
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Every wait for a block ends after this long, so that a source that hangs is noticed. */
const WAIT_MS = 5_000
/** A head this far away is not followed block by block: the planner has the rest indexed in ranges. */
const MAX_STEP = 8

/** Queues a job for every new masterchain block as soon as the source has it. Ends when the signal aborts. */
export async function followHead(options: FollowHeadOptions): Promise<void> {
  const { source, queue, state, log, signal } = options
  let next = 0
  const announce = async (from: number, to: number) => {
    state.headSeen(to)
    await queue.add([{ name: 'index_head', from, to }])
    next = to + 1
  }
  const step = async () => {
    if (next === 0) {
      const head = await source.head({ signal, timeoutMs: WAIT_MS })
      if (head.seqno > 0) return announce(head.seqno, head.seqno)
      next = 1
    }
    const waitedFrom = performance.now()
    const block = await source.waitForMasterchain(next, { signal, timeoutMs: WAIT_MS })
    if (!block) return
    // An answer without any waiting means that the head may be further on.
    const head =
      performance.now() - waitedFrom < 20 ? await source.head({ signal, timeoutMs: WAIT_MS }) : block
    const to = Math.max(block.seqno, head.seqno)
    await announce(to - next < MAX_STEP ? next : to, to)
  }
  const confirmedStep = async () => {
    await step()
    state.headConfirmed()
  }
  await loopUntilAborted(confirmedStep, {
    signal,
    maxDelayMs: 2_000,
    onError: (error, retryInMs) => log.warn('head could not be followed', { error, retry_in_ms: retryInMs }),
  })
}
