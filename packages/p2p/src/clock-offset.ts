import type { NodeClock } from '@shardwalk/adnl'
import { RecentMap } from '@shardwalk/model'

/** Peers by which our clock is judged: those that answered last. */
const JUDGES = 64
/** One peer alone may be wrong. */
const ENOUGH = 3
/** Nodes discard broadcasts, and we theirs, if clocks differ by 20 s. Less than this is not corrected. */
const MAX_OFFSET = 5
/** Seconds since members, who do it every one or two minutes, have published when they are members. */
const PUBLISHED = 50

/**
 * How far the clocks of peers are ahead of the own one, in seconds. Nodes ignore a peer whose clock is wrong
 * by much.
 */
export class ClockOffset {
  /** By peer. */
  private readonly offsets = new RecentMap<string, number>(JUDGES)

  /** `date`: what a peer has just signed, in whole Unix seconds; `now`: our Unix seconds. */
  add(peer: string, date: number, now: number): void {
    // Half a second is what a date in whole seconds lacks on average.
    this.offsets.set(peer, date + 0.5 - now)
  }

  /** The same of what a peer has published some time ago, unless its answers are known. */
  addPublished(peer: string, date: number, now: number): void {
    if (!this.offsets.has(peer)) this.add(peer, date + PUBLISHED, now)
  }

  /** The median, in seconds; undefined before three peers have answered. */
  get seconds(): number | undefined {
    const sorted = [...this.offsets.values()].sort((a, b) => a - b)
    return sorted.length < ENOUGH ? undefined : sorted[sorted.length >> 1]
  }

  /** Whether nodes discard what is dated by our clock, or will soon. */
  get isLarge(): boolean {
    return Math.abs(this.seconds ?? 0) > MAX_OFFSET
  }
}

/** A clock that is set by the clocks of peers while it is wrong, so that they understand what it dates. */
export class CorrectedClock implements NodeClock {
  constructor(
    readonly own: NodeClock,
    private readonly offset: ClockOffset,
  ) {}

  now(): number {
    return this.own.now()
  }

  unixTime(): number {
    return this.own.unixTime() + (this.offset.isLarge ? this.offset.seconds! : 0)
  }
}
