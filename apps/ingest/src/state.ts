import type { Heartbeat } from '@shardwalk/observability'
import { isBehindHead } from '@shardwalk/pipeline'

/** Time in milliseconds; never goes back. */
export type MonotonicClock = () => number

/** What this process knows about the chain and its own work. The database remains authoritative. */
export class IngestState {
  private knownHead = 0
  private headSeenAt = 0
  private headConfirmedAt = Number.NEGATIVE_INFINITY
  private settled = 0
  private knownNewestIndexed = 0
  private newestIndexedAt = 0
  private behindSince: number | undefined
  /** Of the last job that failed, for the log. */
  lastError: unknown
  readonly totals = { masterchainBlocks: 0, blocks: 0, transactions: 0 }

  constructor(
    private readonly now: MonotonicClock = () => performance.now(),
    private readonly heartbeat?: Heartbeat,
  ) {
    this.newestIndexedAt = now()
  }

  /** Newest masterchain seqno that the source has; 0: not known yet. */
  get head(): number {
    return this.knownHead
  }

  get newestIndexed(): number {
    return this.knownNewestIndexed
  }

  headSeen(seqno: number): void {
    if (seqno <= this.knownHead) return
    this.knownHead = seqno
    this.headSeenAt = this.now()
    this.heartbeat?.seen(seqno)
    this.compareWithHead()
  }

  /** A source reported the head, whether new or not. */
  headConfirmed(): void {
    this.headConfirmedAt = this.now()
  }

  /** Milliseconds since a source named the head; infinite before the first time. */
  headUnconfirmedMs(): number {
    return this.now() - this.headConfirmedAt
  }

  /**
   * Newest seqno seen at least `ageMs` ago: what is missing up to it is no longer left to the head follower.
   */
  settledHead(ageMs: number): number {
    if (this.now() - this.headSeenAt >= ageMs) this.settled = this.knownHead
    // While the head moves all the time, everything but its last few blocks counts as settled.
    return Math.max(this.settled, this.knownHead - 16)
  }

  indexed(batches: { seqnos: readonly number[]; blocks: number; transactions: number }): void {
    this.totals.masterchainBlocks += batches.seqnos.length
    this.totals.blocks += batches.blocks
    this.totals.transactions += batches.transactions
    this.indexedUpTo(Math.max(...batches.seqnos))
  }

  /** Someone, perhaps another process, indexed this seqno. */
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
   * Milliseconds for which a newer head is known and nothing newer was indexed; 0 when the newest block is
   * indexed.
   */
  stalledMs(): number {
    if (this.knownNewestIndexed >= this.knownHead) return 0
    return this.now() - Math.max(this.newestIndexedAt, this.headSeenSinceIndexed())
  }

  private headSeenSinceIndexed(): number {
    // A head that just moved is no stall yet; one that keeps moving must not hide a stall either.
    return this.knownHead - this.knownNewestIndexed <= 1 ? this.headSeenAt : this.newestIndexedAt
  }
}
