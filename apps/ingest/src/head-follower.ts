import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import type { Logger } from '@shardwalk/observability'
import type { BatchFetcher, BlockSource } from '@shardwalk/pipeline'
import type { JobQueue } from '@shardwalk/queue'
import type { Part } from './part.ts'
import type { IngestState } from './state.ts'

export interface HeadFollowerOptions {
  readonly source: Pick<BlockSource, 'head' | 'waitForMasterchain'>
  readonly queue: Pick<JobQueue, 'add'>
  /** Is informed about the ids of heads. */
  readonly fetcher: Pick<BatchFetcher, 'learn'>
  readonly state: IngestState
  readonly log: Logger
}

/** Limit of every wait for a block, so that a source that hangs is noticed. */
const WAIT_MS = 5_000
/** A head farther away is not followed up here: the planner queues the blocks before it as a gap. */
const MAX_STEP = 32
/**
 * Maximum number of queued blocks that are not indexed. Further ones wait here and are then queued as one
 * range.
 */
const MAX_QUEUED = 16
/** How often to check whether another process has indexed the queued blocks. */
const CHECK_EVERY_MS = 500

/**
 * Queues a job for every new masterchain block as soon as the source has it, or for several at once when they
 * come too fast.
 */
export class HeadFollower implements Part {
  /** First block that is not queued; 0 until the head is known. */
  private next = 0
  private first = 0
  private readonly alarm = new Alarm()

  constructor(private readonly options: HeadFollowerOptions) {}

  async run(signal: AbortSignal): Promise<void> {
    const { state, log } = this.options
    const onError = (error: unknown, retryInMs: number) =>
      log.warn('head could not be followed', { error, retry_in_ms: retryInMs })
    const follow = async () => {
      await this.waitForHead(signal)
      state.headConfirmed()
    }
    const queue = async () => {
      await this.queueNew()
      await this.alarm.wait(CHECK_EVERY_MS, signal)
    }
    await Promise.all([
      loopUntilAborted(follow, { signal, onError, maxDelayMs: 2_000 }),
      loopUntilAborted(queue, { signal, onError, maxDelayMs: 2_000 }),
    ])
  }

  /** Called after a commit, because there may be room in the queue. */
  wake(): void {
    this.alarm.ring()
  }

  private async waitForHead(signal: AbortSignal): Promise<void> {
    const { source, state, fetcher } = this.options
    const waiting = { signal, timeoutMs: WAIT_MS }
    // A new network may have only its zerostate.
    const known = state.head === 0 ? await source.head(waiting) : undefined
    const head = known && known.seqno > 0 ? known : await source.waitForMasterchain(state.head + 1, waiting)
    if (!head && state.head > 0) await this.compareHead(signal)
    if (!head || head.seqno <= state.head) return
    fetcher.learn(head)
    state.headSeen(head.seqno)
    this.alarm.ring()
  }

  /**
   * Forgets a head whose block will never arrive, because the only server that reported it is not asked any
   * more.
   */
  private async compareHead(signal: AbortSignal): Promise<void> {
    const { source, state, log } = this.options
    const waiting = { signal, timeoutMs: WAIT_MS }
    // `source.head` alone is not enough: of several servers, one that is behind may answer first.
    if (await source.waitForMasterchain(Math.max(1, state.head - MAX_STEP), waiting)) return
    const { seqno } = await source.head(waiting)
    if (seqno + MAX_STEP >= state.head) return
    log.warn('the head was withdrawn', { was: state.head, head: seqno })
    state.headWithdrawn(seqno)
    this.next = 0
  }

  private async queueNew(): Promise<void> {
    const { state, queue } = this.options
    const { head } = state
    if (head < Math.max(this.next, 1)) return
    if (this.next === 0 || head - this.next >= MAX_STEP) this.next = this.first = head
    const queued = this.next - Math.max(this.first, state.newestIndexed + 1)
    if (queued >= MAX_QUEUED) return
    await queue.add([{ name: 'index_head', from: this.next, to: head }])
    this.next = head + 1
  }
}
