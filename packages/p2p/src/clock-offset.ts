import { RecentMap } from '@shardwalk/model'

/** Peers by which our clock is judged: those that answered last. */
const JUDGES = 64
/** One peer alone may be wrong. */
const ENOUGH = 3

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

  /** The median, in seconds; undefined before three peers have answered. */
  get seconds(): number | undefined {
    const sorted = [...this.offsets.values()].sort((a, b) => a - b)
    return sorted.length < ENOUGH ? undefined : sorted[sorted.length >> 1]
  }
}
