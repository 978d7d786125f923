import type { Heartbeat } from '@shardwalk/observability'
import { isBehindHead } from '@shardwalk/pipeline'

/** Monotonic time in milliseconds. */
export type MonotonicClock = () => number

/** What this process knows about the chain and its work. The database remains authoritative. */
export class IngestState {
  private knownHead = 0
  private headSeenAt = 0
  private headConfirmedAt = Number.NEGATIVE_INFINITY
  private settled = 0
  private knownNewestIndexed = 0
  private newestIndexedAt = 0
  private behindSince: number | undefined
  /** Error of the last failed job, for the log. */
  lastError: unknown
  readonly totals = { masterchainBlocks: 0, blocks: 0, transactions: 0 }

  constructor(
    private readonly now: MonotonicClock = () => performance.now(),
    private readonly heartbeat?: Heartbeat,
  ) {
    this.newestIndexedAt = now()
  }

  /** Newest masterchain seqno of the source; 0 until it is known. */
  get head(): number {
    return this.knownHead
  }

  get newestIndexed(): number {
    return this.knownNewestIndexed
  }

  headSeen(seqno: number): void {
    if (seqno <= this.knownHead) return
    // The head follower begins with the first head, and leaves what is before it to the planner.
    if (this.knownHead === 0) this.settled = seqno - 1
    this.knownHead = seqno
    this.headSeenAt = this.now()
    this.heartbeat?.seen(seqno)
    this.compareWithHead()
  }

  /** No source reports the head any more that one did: the newest is this one, far below. */
  headWithdrawn(seqno: number): void {
    this.knownHead = seqno
    this.headSeenAt = this.now()
    this.settled = Math.min(this.settled, seqno)
    this.compareWithHead()
  }

  /** Called when a source reported the head, whether new or not. */
  headConfirmed(): void {
    this.headConfirmedAt = this.now()
  }

  /** Milliseconds since a source reported the head; infinite before the first report. */
  headUnconfirmedMs(): number {
    return this.now() - this.headConfirmedAt
  }

  /**
   * Newest seqno seen at least `ageMs` ago: blocks missing up to it are no longer left to the head follower.
   */
  settledHead(ageMs: number): number {
    if (this.now() - this.headSeenAt >= ageMs) this.settled = this.knownHead
    // If the head moves all the time, everything but its last few blocks counts as settled.
    return Math.max(this.settled, this.knownHead - 16)
  }

  indexed(batches: { seqnos: readonly number[]; blocks: number; transactions: number }): void {
    this.totals.masterchainBlocks += batches.seqnos.length
    this.totals.blocks += batches.blocks
    this.totals.transactions += batches.transactions
    this.indexedUpTo(Math.max(...batches.seqnos))
  }

  /** Called when this seqno was indexed, perhaps by another process. */
  indexedUpTo(seqno: number): void {
    if (seqno <= this.knownNewestIndexed) return
    this.knownNewestIndexed = seqno
    this.newestIndexedAt = this.now()
    this.heartbeat?.processed(seqno)
    this.compareWithHead()
  }

  /** Milliseconds for which the newest indexed block has been too far behind the head; 0 when it is not. */
  behindMs(): number {
    return this.behindSince === undefined ? 0 : this.now() - this.behindSince
  }

  private compareWithHead(): void {
    if (isBehindHead(this.knownNewestIndexed, this.knownHead)) this.behindSince ??= this.now()
    else this.behindSince = undefined
  }

  /** Milliseconds since the source's head moved. */
  headAgeMs(): number {
    return this.knownHead === 0 ? 0 : this.now() - this.headSeenAt
  }

  /**
   * Milliseconds for which a newer head has been known without any progress; 0 when the newest block is
   * indexed.
   */
  stalledMs(): number {
    if (this.knownNewestIndexed >= this.knownHead) return 0
    return this.now() - Math.max(this.newestIndexedAt, this.headSeenSinceIndexed())
  }

  private headSeenSinceIndexed(): number {
    // A head that has just moved is not a stall, but a head that keeps moving must not hide one.
    return this.knownHead - this.knownNewestIndexed <= 1 ? this.headSeenAt : this.newestIndexedAt
  }
}
