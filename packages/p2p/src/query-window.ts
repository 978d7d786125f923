/** Queries that a node gets at a time before its answers show more. */
const FIRST = 4
/** After losses; answers that are delayed alone leave it at `FIRST`. */
const LEAST = 2
const MOST = 32
/**
 * More than `FIRST` only while it answers less than this: nodes refuse, by silence, more than 72 queries for
 * blocks per second of all peers together. Source: ton-blockchain/ton, validator/rate-limiter.h.
 */
const MOST_PER_MS = 48 / 1_000
/** Who answers more in a second has another limit: blocks and archives together are 96. Source: the same. */
const LIMITED_PER_SECOND = 96
/** For how long that is believed. */
const BELIEVED_MS = 60_000
/** Answers by which the time of answers is judged, at least. */
const JUDGED = 8
const GROWTH = 1.5
/** Answers that take so many times the shortest mean wait for each other somewhere. */
const SOME_QUEUE = 1.5
const LONG_QUEUE = 2
/** Whatever is usual: answers that take so long are too near to the time after which they are given up. */
const SLOW_MS = 1_000
const TOO_SLOW_MS = 2_000
/**
 * How long after a loss it does not grow beyond `FIRST` again, and a node near by is asked no more often than
 * a distant one: the second time in a row twice as long.
 */
const FIRST_HOLD_MS = 30_000
const MAX_HOLD_MS = 600_000
/** Weight of a longer mean time in the shortest one: lines change. */
const OF_LONGER = 1 / 16

/**
 * How many queries for blocks a node gets at a time: ever more while that does not delay its answers, so that
 * a distant node is not idle between them, and fewer when it delays them or when they are lost, at whatever
 * place: at the node, on the line or in this process.
 */
export class QueryWindow {
  private size = FIRST
  /** Whether more queries could have been open since the last judgement. */
  private wasFull = false
  private sumMs = 0
  private count = 0
  /** Shortest mean time of answers. */
  private shortestMs: number | undefined
  /** Monotonic milliseconds. */
  private shrunkAt = Number.NEGATIVE_INFINITY
  private heldUntil = Number.NEGATIVE_INFINITY
  private holdMs = FIRST_HOLD_MS
  /** When the next query may be sent. */
  private freeAt = Number.NEGATIVE_INFINITY
  /** Answers since the beginning of a second, and when there were too many in one for a limit. */
  private second = { beganAt: Number.NEGATIVE_INFINITY, answers: 0 }
  private manyAt = Number.NEGATIVE_INFINITY

  /** Whether so few as `FIRST` at a time may be too many in a second. */
  private get isNear(): boolean {
    return this.shortestMs !== undefined && FIRST > this.shortestMs * MOST_PER_MS
  }

  get limit(): number {
    return Math.floor(this.size)
  }

  /** Records that so many queries are open. */
  opened(open: number): void {
    if (open >= this.limit) this.wasFull = true
  }

  /**
   * Milliseconds for which a query is to be kept back. A node near by has answered the few that it gets at a
   * time so soon that they are too many in a second, after which it is silent.
   */
  delayMs(now: number): number {
    if (now >= this.heldUntil) return 0
    const at = Math.max(now, this.freeAt)
    this.freeAt = at + 1 / MOST_PER_MS
    return at - now
  }

  answered(tookMs: number, now: number): void {
    if (now - this.second.beganAt >= 1_000) this.second = { beganAt: now, answers: 0 }
    if (++this.second.answers > LIMITED_PER_SECOND) this.manyAt = now
    this.sumMs += tookMs
    this.count++
    if (this.count >= Math.max(JUDGED, this.limit)) this.judge(this.sumMs / this.count, now)
  }

  private judge(meanMs: number, now: number): void {
    const shortestMs = this.shortest(meanMs)
    const queue = meanMs / shortestMs
    if (queue > LONG_QUEUE || meanMs > TOO_SLOW_MS)
      this.size = Math.max(Math.min(this.size, FIRST), this.size / GROWTH)
    else if (queue < SOME_QUEUE && meanMs < SLOW_MS && (this.wasFull || this.size < FIRST))
      this.size = Math.min(this.size * GROWTH, Math.max(this.size, now < this.heldUntil ? FIRST : MOST))
    this.size = Math.min(this.size, Math.max(FIRST, meanMs * MOST_PER_MS))
    this.begin()
  }

  private shortest(meanMs: number): number {
    const known = this.shortestMs ?? meanMs
    this.shortestMs = meanMs < known ? meanMs : known + (meanMs - known) * OF_LONGER
    return this.shortestMs
  }

  /** Records that a query that was sent at `sentAt` was not answered. Of several at once only one counts. */
  failed(sentAt: number, now: number): void {
    if (sentAt < this.shrunkAt) return
    if (this.size > FIRST || (this.isNear && sentAt - this.manyAt > BELIEVED_MS)) {
      const isAgain = now - this.heldUntil < this.holdMs
      this.holdMs = isAgain ? Math.min(MAX_HOLD_MS, this.holdMs * 2) : FIRST_HOLD_MS
      this.heldUntil = now + this.holdMs
    }
    this.shrunkAt = now
    this.size /= 2
    this.begin()
  }

  private begin(): void {
    this.size = Math.max(LEAST, this.size)
    this.wasFull = false
    this.sumMs = 0
    this.count = 0
  }
}
