import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import { tracesExpecting } from '@shardwalk/pending'
import { changesOfBatch, indexedRangeFrom, readIndexedHead, tracesByIds } from '@shardwalk/queries'
import type { EventHub, Subscriber } from '@shardwalk/streaming'
import { DelayedEvents } from './delayed-events.ts'
import { type EventSink, publishStates, publishTransactions } from './event-reader.ts'
import type { EventServices } from './event-services.ts'
import { TraceTransactions } from './trace-transactions.ts'
import type { Unsettled } from './unsettled.ts'

const POLL_MS = 1_000
/** Between two looks while actions or balances are to come. Milliseconds. */
const LATE_POLL_MS = 200
/** How long a missing block is waited for before those after it are published. Milliseconds. */
const GAP_PATIENCE_MS = 15_000

/** From where blocks are read, and where their events go. */
export interface FollowerOptions {
  readonly services: EventServices
  readonly hub: EventHub
  readonly signal: AbortSignal
  /** Between two looks when nothing notifies. Milliseconds, default 1,000. */
  readonly pollMs?: number | undefined
  /** Monotonic milliseconds, for what is waited for. Default: the process's clock. */
  readonly now?: (() => number) | undefined
  /** Work after every poll, before the next block is published. */
  readonly afterPoll?: (() => Promise<void>) | undefined
}

/** A connection of which something is still to be published. */
interface Gap {
  readonly subscriber: Subscriber
  /** When the last of it was added. Milliseconds. */
  readonly since: number
}

/**
 * Reads what blocks change as soon as they are committed, one block after the other, and publishes it to the
 * hub. One for all connections of the process.
 */
export class BlockFollower {
  /** The last block that was published; undefined: nothing is indexed yet. */
  private published: number | undefined
  private readonly delayed: DelayedEvents
  /** What is delayed of blocks before connections resumed: the others have not missed it. */
  private readonly missed: DelayedEvents
  private readonly traces = new TraceTransactions()
  private readonly gaps: Gap[] = []
  private readonly alarm = new Alarm()
  private gapSince: number | undefined
  /** When the tables were last read, by a poll or for a block of a long one. Milliseconds. */
  polledAt = 0
  /** The block that is being published, or was published last. */
  private present: Promise<void> | undefined
  private readonly jobs: (() => Promise<void>)[] = []

  /** Those of the present poll. */
  private services: EventServices
  private readonly now: () => number

  constructor(private readonly options: FollowerOptions) {
    this.services = options.services
    this.now = options.now ?? (() => performance.now())
    this.delayed = new DelayedEvents(options.hub.subscribers)
    this.missed = new DelayedEvents(options.hub.subscribers)
  }

  /** Something was committed. */
  wake(): void {
    this.alarm.ring()
  }

  /** The last block that was published. */
  get position(): number | undefined {
    return this.published
  }

  /** Everything up to this block was published, actions included. */
  get complete(): number | undefined {
    if (this.published === undefined) return undefined
    const { oldest } = this.delayed
    return oldest === undefined ? this.published : Math.min(this.published, oldest - 1)
  }

  /** What a connection missed up to the block and cannot be published yet: it is published when it can. */
  addMissed(unsettled: Unsettled, seqno: number, subscriber: Subscriber): void {
    if (unsettled.traces.length + unsettled.accounts.length === 0) return
    const now = this.now()
    this.missed.add(unsettled, { others: this.delayed, seqno, now })
    this.gaps.push({ subscriber, since: now })
    subscriber.gaps++
    this.alarm.ring()
  }

  /** Resolves when no block is being published. */
  async untilPublished(): Promise<void> {
    for (let seen: unknown; seen !== this.present; ) {
      seen = this.present
      await seen
    }
  }

  /** Runs work between two blocks, so that nothing is published meanwhile. */
  inTurn(work: () => Promise<void>): void {
    this.jobs.push(work)
    this.alarm.ring()
  }

  async run(): Promise<void> {
    const { signal, services } = this.options
    await loopUntilAborted(() => this.step(), {
      signal,
      onError: (error) => services.log.warn('events are delayed', { error }),
    })
  }

  private async step(): Promise<void> {
    await this.poll()
    this.polledAt = performance.now()
    await this.options.afterPoll?.()
    await this.runJobs()
    const { pollMs = POLL_MS, signal } = this.options
    await this.alarm.wait(this.isWaiting ? Math.min(pollMs, LATE_POLL_MS) : pollMs, signal)
  }

  private async runJobs(): Promise<void> {
    for (let job = this.jobs.shift(); job; job = this.jobs.shift()) await job()
  }

  private async poll(): Promise<void> {
    const { hub, signal } = this.options
    // What belongs together is read from one replica, which has what was published.
    this.services = await this.options.services.pinned(this.published)
    const { services } = this
    if (this.published === undefined || hub.subscribers.count === 0) {
      const head = (await readIndexedHead(services.db)).range?.to
      // Who has subscribed meanwhile may have been acknowledged before the last of these blocks came.
      if (this.published === undefined || hub.subscribers.count === 0) this.begin(head)
      else this.alarm.ring()
      return
    }
    const range = await indexedRangeFrom(services.db, this.published + 1)
    if (range && this.mayBegin(range.from))
      for (
        let seqno = Math.max(this.published + 1, range.from);
        seqno <= range.to && !signal.aborted;
        seqno++
      ) {
        await this.noted(async () => {
          await this.publishBlock(seqno)
          this.published = seqno
          this.polledAt = performance.now()
          await this.settle()
        })
        await this.runJobs()
      }
    await this.settle()
  }

  /** No events of earlier blocks were published, so none of their delayed events is due. */
  private begin(head: number | undefined): void {
    this.published = head
    this.delayed.clear()
    this.missed.clear()
    this.gaps.length = 0
  }

  private noted(work: () => Promise<void>): Promise<void> {
    const done = work()
    this.present = done.catch(() => {})
    return done
  }

  /** Blocks are published in order; one that does not come is passed over in the end. */
  private mayBegin(from: number): boolean {
    if (from <= this.published! + 1) {
      this.gapSince = undefined
      return true
    }
    this.gapSince ??= this.now()
    if (this.now() - this.gapSince < GAP_PATIENCE_MS) return false
    this.options.services.log.warn('blocks without events', { from: this.published! + 1, to: from - 1 })
    this.gapSince = undefined
    return true
  }

  private async publishBlock(seqno: number): Promise<void> {
    const { services, options } = this
    const { hub } = options
    const context = await services.context()
    const changes = await changesOfBatch(context.db, seqno)
    const sink = { ...this.sink(context, changes[0]?.lt ?? 0n), block: seqno }
    const directory = await context.accounts.load(
      context.db,
      changes.map((row) => row.account_id),
      { states: false },
    )
    const watched = changes.filter((row) => sink.isWatched(directory.get(row.account_id).raw))
    const ids = new Map(watched.flatMap(({ trace_id: id }) => (id ? [[id.toString('latin1'), id]] : [])))
    if (hub.subscribers.wants('transactions'))
      await publishTransactions(sink, await tracesByIds(context.db, [...ids.values()]))
    if (hub.subscribers.wants('account_state_change')) await publishStates(sink, watched)
    await this.delayed.expect(sink, { seqno, changes, now: this.now() })
  }

  private get isWaiting(): boolean {
    return this.delayed.isWaiting || this.missed.isWaiting
  }

  private async settle(): Promise<void> {
    if (!this.isWaiting && this.gaps.length === 0) return
    const context = await this.services.context()
    for (const delayed of [this.delayed, this.missed])
      await delayed.settle(this.sink(context, 0n), this.now())
    this.closeGaps()
  }

  private closeGaps(): void {
    const { waitingSince = Number.POSITIVE_INFINITY } = this.missed
    while (this.gaps[0] && this.gaps[0].since < waitingSince) this.gaps.shift()!.subscriber.gaps--
  }

  private sink(context: EventSink['context'], fromLt: bigint): EventSink {
    const { hub, services } = this.options
    return {
      context,
      after: this.complete,
      traces: this.traces,
      fromLt,
      publish: (event) => hub.publish(event),
      isWatched: (account) => hub.subscribers.hasAddress(account),
      isTraceWatched: (key) => hub.subscribers.hasTrace(key),
      expecting: hub.subscribers.wantsUncertain ? (traces) => tracesExpecting(services, traces) : undefined,
    }
  }
}
