import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import type { Logger } from '@shardwalk/observability'
import {
  type BackfillOrder,
  countSeqnos,
  missingRanges,
  planWork,
  type SeqnoRange,
  type WorkState,
} from '@shardwalk/pipeline'
import type { Job, JobQueue, Outstanding } from '@shardwalk/queue'
import type { IngestState } from './state.ts'

export interface PlanLoopOptions {
  readonly queue: Pick<JobQueue, 'add' | 'outstanding' | 'removeFailed' | 'removeAfter'>
  readonly indexedRanges: () => Promise<readonly SeqnoRange[]>
  readonly state: IngestState
  /** Newest head that any ingest process has reported. Default: none. */
  readonly reportedHead?: () => Promise<number>
  readonly start: 'head' | 'genesis' | number
  readonly order: BackfillOrder
  /** First masterchain block that is kept; undefined: all are, or that is not known yet. */
  readonly retainedFrom?: () => number | undefined
  /** Maximum number of backfill jobs queued or running in all processes. */
  readonly maxOutstanding: number
  readonly log: Logger
  /** Called after each round with the number of requested seqnos that are missing. */
  readonly onMissing?: (missing: number) => void
}

const JOB_SEQNOS = 32
const PLAN_EVERY_MS = 1_000
/** How long the head's lane may take to index a block before it counts as missed. */
const HEAD_GRACE_MS = 3_000
/** A permanently failed job is queued again after this time, because its cause may be gone. */
const FAILED_AGAIN_AFTER_MS = 60_000
const ROUNDS_PER_FAILED = FAILED_AGAIN_AFTER_MS / PLAN_EVERY_MS
/** Other processes may know a head that is newer by less. Masterchain blocks. */
const NEWER_HEAD = 32

/**
 * Compares what is requested with what is indexed and queues a bounded amount of what is missing. Keeps no
 * state: after a loss of the queue, the next run queues everything again. Several processes may run it,
 * because the same work has the same job id.
 */
export class PlanLoop {
  private readonly alarm = new Alarm()
  private start: number | undefined
  /** Of what is indexed; undefined: nothing is. */
  private oldestIndexed: number | undefined
  /** Newest seqno indexed before this process started: everything missing above it is a gap, not history. */
  private gapsAbove: number | undefined
  /** The head at the last run. */
  private head = 0
  /** Number of looks that found nothing to do. */
  private idleRounds = 0

  constructor(private readonly options: PlanLoopOptions) {}

  /** First seqno to index, without history if that is off; undefined until the head is known. */
  get first(): number | undefined {
    const { start, head, options, oldestIndexed = head } = this
    return start !== undefined && options.order === 'off' ? Math.max(start, oldestIndexed) : start
  }

  /** Runs again now, for example because a job is done. */
  wake(): void {
    this.alarm.ring()
  }

  run(signal: AbortSignal): Promise<void> {
    const onError = (error: unknown, retryInMs: number) =>
      this.options.log.warn('planning failed', { error, retry_in_ms: retryInMs })
    const step = async () => {
      await this.planOnce()
      await this.alarm.wait(PLAN_EVERY_MS, signal)
    }
    return loopUntilAborted(step, { signal, onError })
  }

  /** One run; public for tests. */
  async planOnce(): Promise<readonly Job[]> {
    const indexed = await this.options.indexedRanges()
    const wanted = this.wanted(indexed)
    if (!wanted) return []
    this.report(wanted, indexed)
    this.options.state.indexedUpTo(newest(indexed))
    const isComplete = this.plan({ wanted, indexed, outstanding: [] }, 1).length === 0
    if (!isComplete) return this.queueMissing(wanted)
    // Most of the time, which is no reason to ask the queue ten things a second. But jobs that failed, and
    // whose work another job did, must not be shown for ever.
    if (++this.idleRounds % ROUNDS_PER_FAILED === 0) {
      await this.removeFailed()
      await this.removeGhosts()
    }
    return []
  }

  private async removeFailed(): Promise<void> {
    await this.options.queue.removeFailed(FAILED_AGAIN_AFTER_MS)
  }

  /** Jobs of blocks up to a head that does not exist would be tried again for ever. */
  private async removeGhosts(): Promise<void> {
    const { queue, state, reportedHead } = this.options
    const head = Math.max(state.head, (await reportedHead?.()) ?? 0)
    await queue.removeAfter(head + NEWER_HEAD)
  }

  private async queueMissing(wanted: SeqnoRange): Promise<readonly Job[]> {
    const { queue, maxOutstanding } = this.options
    await this.removeFailed()
    // The queue is read before the tables, so that a job that ends in between is in at least one of them.
    const [backfill, head] = [await queue.outstanding('backfill'), await queue.outstanding('head')]
    const indexed = await this.options.indexedRanges()
    const outstanding = toRanges([...backfill, ...head])
    if (outstanding.some(({ from }) => from > this.head + NEWER_HEAD)) await this.removeGhosts()
    const jobs = this.plan({ wanted, indexed, outstanding }, Math.max(0, maxOutstanding - backfill.length))
    if (jobs.length > 0) await queue.add(jobs)
    return jobs
  }

  private plan(work: Pick<WorkState, 'wanted' | 'indexed' | 'outstanding'>, limit: number): readonly Job[] {
    const state = { ...work, order: this.options.order, gapsAbove: this.gapsAbove ?? work.wanted.to }
    return planWork(state, { jobSize: JOB_SEQNOS, limit }).map(
      ({ kind, from, to }): Job => ({
        name: `index_${kind}`,
        from,
        to,
      }),
    )
  }

  private wanted(indexed: readonly SeqnoRange[]): SeqnoRange | undefined {
    const { state, start } = this.options
    if (state.head === 0) return undefined
    // Withdrawn: what was derived from it is not to remain.
    if (state.head < this.head) this.start = this.gapsAbove = undefined
    this.head = state.head
    this.oldestIndexed = indexed.length > 0 ? oldest(indexed, state.head) : undefined
    this.gapsAbove ??= indexed.length > 0 ? newest(indexed) : state.head
    this.start ??= start === 'genesis' ? 1 : start === 'head' ? oldest(indexed, state.head) : start
    const kept = this.options.retainedFrom?.() ?? 0
    return { from: Math.max(this.start, kept), to: state.settledHead(HEAD_GRACE_MS) }
  }

  private report(wanted: SeqnoRange, indexed: readonly SeqnoRange[]): void {
    const from = Math.max(wanted.from, this.first ?? 0)
    this.options.onMissing?.(countSeqnos(missingRanges({ from, to: wanted.to }, indexed)))
  }
}

const newest = (ranges: readonly SeqnoRange[]): number =>
  ranges.reduce((most, { to }) => Math.max(most, to), 0)
const oldest = (ranges: readonly SeqnoRange[], otherwise: number): number =>
  ranges.length === 0 ? otherwise : ranges.reduce((least, { from }) => Math.min(least, from), Infinity)

const toRanges = (outstanding: readonly Outstanding[]): SeqnoRange[] =>
  outstanding.map(({ job }) => ({ from: job.from, to: job.to }))
