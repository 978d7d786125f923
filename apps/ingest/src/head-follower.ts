import { loopUntilAborted } from '@shardwalk/concurrency'
import type { Logger } from '@shardwalk/observability'
import type { BlockSource } from '@shardwalk/pipeline'
import type { JobQueue } from '@shardwalk/queue'
import type { Part } from './part.ts'
import type { IngestState } from './state.ts'

export interface HeadFollowerOptions {
  readonly source: BlockSource
  readonly queue: Pick<JobQueue, 'add'>
  readonly state: IngestState
  readonly log: Logger
}

/** Every wait for a block ends after this long, so that a source that hangs is noticed. */
const WAIT_MS = 5_000
/** A head farther away is not followed block by block; the planner queues the rest in ranges. */
const MAX_STEP = 8

/** Queues a job for every new masterchain block as soon as the source has it. */
export class HeadFollower implements Part {
  /** First block that is not queued; 0: the head is not known yet. */
  private next = 0

  constructor(private readonly options: HeadFollowerOptions) {}

  run(signal: AbortSignal): Promise<void> {
    const { state, log } = this.options
    const step = async () => {
      await this.step(signal)
      state.headConfirmed()
    }
    const onError = (error: unknown, retryInMs: number) =>
      log.warn('head could not be followed', { error, retry_in_ms: retryInMs })
    return loopUntilAborted(step, { signal, onError, maxDelayMs: 2_000 })
  }

  private async step(signal: AbortSignal): Promise<void> {
    const { source } = this.options
    const waiting = { signal, timeoutMs: WAIT_MS }
    if (this.next === 0) {
      const head = await source.head(waiting)
      if (head.seqno > 0) return this.announce(head.seqno, head.seqno)
      this.next = 1
    }
    const waitedFrom = performance.now()
    const block = await source.waitForMasterchain(this.next, waiting)
    if (!block) return
    // An immediate answer means that the head may be newer.
    const head = performance.now() - waitedFrom < 20 ? await source.head(waiting) : block
    const to = Math.max(block.seqno, head.seqno)
    await this.announce(to - this.next < MAX_STEP ? this.next : to, to)
  }

  private async announce(from: number, to: number): Promise<void> {
    this.options.state.headSeen(to)
    await this.options.queue.add([{ name: 'index_head', from, to }])
    this.next = to + 1
  }
}
