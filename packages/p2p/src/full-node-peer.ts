import { type AdnlPeer, RoundTrip, type UdpAddress } from '@shardwalk/adnl'
import type { BookedPeer } from './peer-book.ts'
import { QueryWindow } from './query-window.ts'

/** Failures in a row after which a peer rests. */
const PATIENCE = 3
const FIRST_REST_MS = 10_000
const MAX_REST_MS = 600_000
/** For how long a peer that has sent wrong data is not asked. */
const BANNED_MS = 24 * 3_600_000
/** Shorter answers say nothing about a line's rate. Bytes. */
const MEASURED_ANSWER = 256 << 10

/** Queries for the head that a peer gets in addition to others, so that history does not delay it. */
const OPEN_FOR_HEAD = 4

/** Kinds of queries that take different times. */
export type QueryClass = 'short' | 'block' | 'archive'

/** Before an answer: few nodes have archives, so one that has given some comes first unless it is slow. */
const UNKNOWN_COST_MS: Readonly<Record<QueryClass, number>> = { short: 500, block: 500, archive: 3_000 }

/** What is measured about a peer. */
export type PeerMeasures = Pick<BookedPeer, 'meanMs' | 'failures' | 'rate' | 'bannedUntil'>

/** A full node and measurements of its answers. */
export class FullNodePeer {
  /** Totals since it became known: queries by kind, answers, and their bytes. */
  readonly counts = { asked: { short: 0, block: 0, archive: 0 }, answers: 0, bytes: 0 }
  /** Queries that it is answering; of them, those for archives. */
  private busy = 0
  private busyWithArchives = 0
  /** Number of these that have taken longer than its answers usually do. */
  private late = 0
  private failures = 0
  private restsUntil = 0
  /** Address at which it did not answer; it may answer at another. */
  private silentAt: UdpAddress | undefined
  private bannedUntil = 0
  /** Bytes per second of long answers; 0: never measured. */
  private rate = 0
  /** Fed with the times of blocks of history: other queries are short, or may rightly be in vain. */
  readonly window = new QueryWindow()
  private readonly times: Record<QueryClass, RoundTrip> = {
    short: new RoundTrip(),
    block: new RoundTrip(),
    archive: new RoundTrip(),
  }

  constructor(readonly adnl: AdnlPeer) {}

  /**
   * Measurements to store for the next start. `unixTime`: seconds now, `now`: the same moment in monotonic
   * milliseconds.
   */
  measures(now: number, unixTime: number): PeerMeasures {
    const { meanMs } = this
    const bannedMs = this.bannedUntil - now
    return {
      meanMs: meanMs === undefined ? undefined : Math.round(meanMs),
      failures: this.failures,
      rate: Math.round(this.rate),
      bannedUntil: bannedMs > 0 ? Math.ceil(unixTime + bannedMs / 1_000) : 0,
    }
  }

  /** Restores the measurements of an earlier start. */
  restore({ meanMs, failures, rate, bannedUntil }: PeerMeasures, now: number, unixTime: number): void {
    // It may never have given an archive.
    if (meanMs !== undefined) for (const kind of ['short', 'block'] as const) this.times[kind].sample(meanMs)
    this.failures = Math.min(failures, PATIENCE)
    this.rate = rate
    const bannedMs = Math.min(BANNED_MS, (bannedUntil - unixTime) * 1_000)
    if (bannedMs > 0) this.bannedUntil = now + bannedMs
  }

  isResting(now: number): boolean {
    return now < this.restsUntil && isSamePlace(this.silentAt, this.adnl.address)
  }

  isBanned(now: number): boolean {
    return now < this.bannedUntil
  }

  /** Bytes per second of its long answers; 0: never measured. */
  get bytesPerSecond(): number {
    return this.rate
  }

  /** Mean time of blocks, or of short answers; undefined before the first. Milliseconds. */
  get meanMs(): number | undefined {
    return this.times.block.meanMs ?? this.times.short.meanMs
  }

  /** After this another peer is asked as well. Milliseconds. */
  patienceMs(kind: QueryClass): number {
    return this.times[kind].timeoutMs
  }

  /**
   * Peers of lower rank are asked first. 0: answers. 1: has failed, is late, or has no measured answer yet
   * and is busy. 2: not asked for a while after repeated failures.
   */
  rank(now: number): number {
    if (this.isResting(now)) return 2
    const isUnknown = !Object.values(this.times).some(({ isMeasured }) => isMeasured)
    return this.failures > 0 || this.late > 0 || (isUnknown && this.busy > 0) ? 1 : 0
  }

  /** Expected milliseconds of the next answer. */
  cost(kind: QueryClass): number {
    return (this.times[kind].meanMs ?? UNKNOWN_COST_MS[kind]) * (1 + this.busy) * (1 + this.failures)
  }

  /** Records the start of a query; returns the function to call at its end. */
  begin(kind: QueryClass): () => void {
    this.counts.asked[kind]++
    const ofArchives = kind === 'archive' ? 1 : 0
    this.busy++
    this.busyWithArchives += ofArchives
    this.window.opened(this.busy - this.busyWithArchives)
    return () => {
      this.busy--
      this.busyWithArchives -= ofArchives
    }
  }

  /** Whether it can be asked something else than archives now. */
  hasRoom(isUrgent: boolean): boolean {
    const { limit } = this.window
    return this.busy - this.busyWithArchives < (isUrgent ? limit + OPEN_FOR_HEAD : limit)
  }

  /** Records that a query takes longer than usual; returns the function to call at its end. */
  isLate(): () => void {
    this.late++
    return () => this.late--
  }

  answered(kind: QueryClass, tookMs: number, bytes: number): void {
    this.counts.answers++
    this.counts.bytes += bytes
    this.failures = 0
    this.restsUntil = 0
    this.times[kind].sample(tookMs)
    if (bytes < MEASURED_ANSWER) return
    const rate = bytes / (Math.max(1, tookMs) / 1_000)
    this.rate = this.rate === 0 ? rate : this.rate + (rate - this.rate) / 8
  }

  /** Records that another peer has answered while it was answering: it takes at least so long. */
  outrun(kind: QueryClass, tookMs: number): void {
    if (tookMs > (this.times[kind].meanMs ?? 0)) this.times[kind].sample(tookMs)
  }

  /** Records that it did not answer, which may also mean that it lacks what was asked for. */
  failed(now: number): void {
    this.failures++
    if (this.failures < PATIENCE) return
    const restMs = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (this.failures - PATIENCE))
    this.restsUntil = Math.max(this.restsUntil, now + restMs)
    this.silentAt = this.adnl.address
  }

  /** Bans the peer after false data. */
  ban(now: number): void {
    this.bannedUntil = now + BANNED_MS
  }
}

const isSamePlace = (a: UdpAddress | undefined, b: UdpAddress): boolean =>
  a?.host === b?.host && a?.port === b?.port
