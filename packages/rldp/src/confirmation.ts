/** Symbols after which a confirmation is sent, because its rate follows confirmations. */
const CONFIRM_EVERY = 10
/** Milliseconds after which fewer symbols are confirmed. */
const CONFIRM_AFTER_MS = 5
const FIRST_REPEAT_MS = 50
const MAX_REPEATS = 7

/** What a receiver confirms to the sender of a part, and when. */
export class Confirmation {
  /** Highest seqno plus one. */
  maxSeqno = 0
  /** Distinct symbols. */
  receivedCount = 0
  /** Bit N: symbol `maxSeqno - 1 - N` arrived. */
  receivedMask = 0
  private readonly seen = new Set<number>()
  private unconfirmed = 0
  private repeats = 0
  private dueAt = Number.POSITIVE_INFINITY

  /** Records a symbol; false if it arrived already. */
  add(seqno: number, now: number): boolean {
    this.dueAt = Math.min(this.dueAt, now + CONFIRM_AFTER_MS)
    if (this.seen.has(seqno)) return false
    this.seen.add(seqno)
    this.receivedCount++
    this.unconfirmed++
    this.repeats = 0
    this.mark(seqno + 1)
    return true
  }

  private mark(position: number): void {
    const distance = position - this.maxSeqno
    if (distance > 0) {
      this.receivedMask = distance >= 32 ? 1 : ((this.receivedMask << distance) | 1) >>> 0
      this.maxSeqno = position
    } else if (distance > -32) this.receivedMask = (this.receivedMask | (1 << -distance)) >>> 0
  }

  /** Whether to confirm now; if so, it counts as done and is repeated ever later until a symbol arrives. */
  isDue(now: number): boolean {
    if (this.unconfirmed < CONFIRM_EVERY && now < this.dueAt) return false
    this.unconfirmed = 0
    const repeatMs = FIRST_REPEAT_MS * 2 ** this.repeats
    this.dueAt = this.repeats++ < MAX_REPEATS ? now + repeatMs : Number.POSITIVE_INFINITY
    return true
  }
}
