import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import { tracesExpecting } from '@shardwalk/pending'
import { changesOfBatch, indexedRangeFrom, readIndexedHead, tracesByIds } from '@shardwalk/queries'
import type { EventHub, Subscriber } from '@shardwalk/streaming'
import type { EventServices } from './event-services.ts'
import { LateNews } from './late-news.ts'
import { type Telling, tellStates, tellTransactions } from './news-reader.ts'
import type { Unsettled } from './unsettled.ts'

const POLL_MS = 1_000
/** Between two looks while actions or balances are to come. Milliseconds. */
const LATE_POLL_MS = 200
/** How long a missing block is waited for before those after it are told. Milliseconds. */
const GAP_PATIENCE_MS = 15_000

export interface FollowerOptions {
  readonly services: EventServices
  readonly hub: EventHub
  readonly signal: AbortSignal
  /** Between two looks when nothing notifies. Milliseconds, default 1,000. */
  readonly pollMs?: number | undefined
  /** Monotonic milliseconds, for what is waited for. Default: the process's clock. */
  readonly now?: (() => number) | undefined
  /** Work after every look, before the next block is told. */
  readonly afterLook?: (() => Promise<void>) | undefined
}

/** A connection of which something is still to be told. */
interface Gap {
  readonly subscriber: Subscriber
  /** When the last of it was added. Milliseconds. */
  readonly since: number
}

/**
 * Reads what blocks change as soon as they are committed, one block after the other, and tells the hub. One
 * for all connections of the process.
 */
export class BlockFollower {
  /** The last block that was told; undefined: nothing is indexed yet. */
  private told: number | undefined
  private readonly late: LateNews
  /** What is late of blocks before connections resumed: the others have not missed it. */
  private readonly missed: LateNews
  private readonly gaps: Gap[] = []
  private readonly alarm = new Alarm()
  private gapSince: number | undefined
  /** When the tables were last read, by a look or for a block of a long one. Milliseconds. */
  lookedAt = 0
  /** The block that is being told, or was told last. */
  private present: Promise<void> | undefined
  private readonly jobs: (() => Promise<void>)[] = []

  /** Those of the present look. */
  private services: EventServices
  private readonly now: () => number

  constructor(private readonly options: FollowerOptions) {
    this.services = options.services
    this.now = options.now ?? (() => performance.now())
    this.late = new LateNews(options.hub.subscribers)
    this.missed = new LateNews(options.hub.subscribers)
  }

  /** Something was committed. */
  wake(): void {
    this.alarm.ring()
  }

  /** The last block that was told. */
  get position(): number | undefined {
    return this.told
  }

  /** Everything up to this block was told, actions included. */
  get complete(): number | undefined {
    if (this.told === undefined) return undefined
    const { oldest } = this.late
    return oldest === undefined ? this.told : Math.min(this.told, oldest - 1)
  }

  /** What a connection missed up to the block and cannot be told yet: it is told when it can. */
  addMissed(unsettled: Unsettled, seqno: number, subscriber: Subscriber): void {
    if (unsettled.traces.length + unsettled.accounts.length === 0) return
    const now = this.now()
    this.missed.add(unsettled, { others: this.late, seqno, now })
    this.gaps.push({ subscriber, since: now })
    subscriber.gaps++
    this.alarm.ring()
  }

  /** Resolves when no block is being told. */
  async untilTold(): Promise<void> {
    for (let seen: unknown; seen !== this.present; ) {
      seen = this.present
      await seen
    }
  }

  /** Runs work between two blocks, so that nothing is told meanwhile. */
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
    await this.look()
    this.lookedAt = performance.now()
    await this.options.afterLook?.()
    await this.runJobs()
    const { pollMs = POLL_MS, signal } = this.options
    await this.alarm.wait(this.isWaiting ? Math.min(pollMs, LATE_POLL_MS) : pollMs, signal)
  }

  private async runJobs(): Promise<void> {
    for (let job = this.jobs.shift(); job; job = this.jobs.shift()) await job()
  }

  private async look(): Promise<void> {
    const { hub, signal } = this.options
    // What belongs together is read from one replica, which has what was told.
    this.services = await this.options.services.pinned(this.told)
    const { services } = this
    if (this.told === undefined || hub.subscribers.count === 0) {
      const head = (await readIndexedHead(services.db)).range?.to
      // Who has subscribed meanwhile may have been acknowledged before the last of these blocks came.
      if (this.told === undefined || hub.subscribers.count === 0) this.begin(head)
      else this.alarm.ring()
      return
    }
    const range = await indexedRangeFrom(services.db, this.told + 1)
    if (range && this.mayBegin(range.from))
      for (let seqno = Math.max(this.told + 1, range.from); seqno <= range.to && !signal.aborted; seqno++) {
        await this.noted(async () => {
          await this.tellBlock(seqno)
          this.told = seqno
          this.lookedAt = performance.now()
          await this.settle()
        })
        await this.runJobs()
      }
    await this.settle()
  }

  /** Nobody heard of earlier blocks, so nobody waits for what is late of them. */
  private begin(head: number | undefined): void {
    this.told = head
    this.late.clear()
    this.missed.clear()
    this.gaps.length = 0
  }

  private noted(work: () => Promise<void>): Promise<void> {
    const done = work()
    this.present = done.catch(() => {})
    return done
  }

  /** Blocks are told in order; one that does not come is passed over in the end. */
  private mayBegin(from: number): boolean {
    if (from <= this.told! + 1) {
      this.gapSince = undefined
      return true
    }
    this.gapSince ??= this.now()
    if (this.now() - this.gapSince < GAP_PATIENCE_MS) return false
    this.options.services.log.warn('blocks without events', { from: this.told! + 1, to: from - 1 })
    this.gapSince = undefined
    return true
  }

  private async tellBlock(seqno: number): Promise<void> {
    const { services, options } = this
    const { hub } = options
    const context = await services.context()
    const changes = await changesOfBatch(context.db, seqno)
    const telling = { ...this.telling(context, changes[0]?.lt ?? 0n), block: seqno }
    const directory = await context.accounts.load(
      context.db,
      changes.map((row) => row.account_id),
      { states: false },
    )
    const watched = changes.filter((row) => telling.isWatched(directory.get(row.account_id).raw))
    const ids = new Map(watched.flatMap(({ trace_id: id }) => (id ? [[id.toString('latin1'), id]] : [])))
    if (hub.subscribers.wants('transactions'))
      await tellTransactions(telling, await tracesByIds(context.db, [...ids.values()]))
    if (hub.subscribers.wants('account_state_change')) await tellStates(telling, watched)
    await this.late.expect(telling, { seqno, changes, now: this.now() })
  }

  private get isWaiting(): boolean {
    return this.late.isWaiting || this.missed.isWaiting
  }

  private async settle(): Promise<void> {
    if (!this.isWaiting && this.gaps.length === 0) return
    const context = await this.services.context()
    for (const news of [this.late, this.missed]) await news.settle(this.telling(context, 0n), this.now())
    this.closeGaps()
  }

  private closeGaps(): void {
    const { waitingSince = Number.POSITIVE_INFINITY } = this.missed
    while (this.gaps[0] && this.gaps[0].since < waitingSince) this.gaps.shift()!.subscriber.gaps--
  }

  private telling(context: Telling['context'], fromLt: bigint): Telling {
    const { hub, services } = this.options
    return {
      context,
      after: this.complete,
      fromLt,
      tell: (news) => hub.tell(news),
      isWatched: (account) => hub.subscribers.hasAddress(account),
      isTraceWatched: (key) => hub.subscribers.hasTrace(key),
      expecting: hub.subscribers.wantsUncertain ? (traces) => tracesExpecting(services, traces) : undefined,
    }
  }
}
