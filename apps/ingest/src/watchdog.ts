import { sleep } from '@shardwalk/concurrency'
import type { Logger } from '@shardwalk/observability'
import type { Part } from './part.ts'
import type { IngestState } from './state.ts'

export interface WatchdogOptions {
  readonly state: IngestState
  readonly log: Logger
  /** Information about the cause, such as the state of the servers, for the log. */
  readonly evidence: () => Readonly<Record<string, unknown>>
  /** The chain may end, so a stopped head is not reported. */
  readonly headMayStand: boolean
  /** Cancels the oldest running job of the head, so that it runs again with other servers. */
  readonly abortHeadJob: (reason: Error) => void
}

const TICK_MS = 1_000
/** Limit for a known newer head without progress. */
const STALLED_AFTER_MS = 8_000
const REPEAT_MS = 10_000
/** Masterchain blocks appear every few seconds; a head that has stopped for longer is logged once. */
const STANDING_AFTER_MS = 10_000

/**
 * Detects that the head is not being indexed, logs the cause as far as it is known, and has the job run
 * again.
 */
export class Watchdog implements Part {
  private warnedAt = Number.NEGATIVE_INFINITY
  private standingAt = 0

  constructor(
    private readonly options: WatchdogOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await sleep(TICK_MS, signal)) this.tick()
  }

  /** One check; public for tests. */
  tick(): void {
    this.checkIndexing()
    this.checkSource()
  }

  private checkIndexing(): void {
    const { state, log, evidence, abortHeadJob } = this.options
    const stalledMs = state.stalledMs()
    if (stalledMs < STALLED_AFTER_MS || this.now() - this.warnedAt < REPEAT_MS) return
    this.warnedAt = this.now()
    log.error('head is not indexed', {
      head: state.head,
      newest_indexed: state.newestIndexed,
      stalled_ms: Math.round(stalledMs),
      last_error: state.lastError,
      ...evidence(),
    })
    abortHeadJob(
      new Error(`masterchain block ${state.head} was not indexed within ${Math.round(stalledMs)} ms`),
    )
  }

  private checkSource(): void {
    const { state, log, evidence, headMayStand } = this.options
    if (headMayStand) return
    if (state.headAgeMs() < STANDING_AFTER_MS || this.standingAt === state.head) return
    this.standingAt = state.head
    log.warn('head of the network has stopped', {
      head: state.head,
      for_ms: Math.round(state.headAgeMs()),
      ...evidence(),
    })
  }
}
