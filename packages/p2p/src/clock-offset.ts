import type { NodeClock, UdpAddress } from '@shardwalk/adnl'
import { RecentMap } from '@shardwalk/model'

/** Hosts by which our clock is judged: those that answered last. */
const JUDGES = 64
/** Two hosts may belong to one stranger. */
const ENOUGH = 3
const MAX_AGE_MS = 1_200_000
/** Seconds; more than a clock that is slowly corrected gains in that time. */
const JUMP = 1

interface Vote {
  /** Seconds by which the host's clock was ahead of ours. */
  readonly offset: number
  /** Unix seconds at which our monotonic clock was 0: another value means that our clock was set since. */
  readonly origin: number
  /** Monotonic milliseconds. */
  readonly at: number
}

/**
 * How far the clocks of nodes are ahead of ours, by the answers of nodes that we have asked: what others send
 * or publish could be made up by anybody. Each host has one vote, however many nodes it runs.
 */
export class ClockOffset {
  private readonly votes = new RecentMap<string, Vote>(JUDGES)

  constructor(private readonly clock: NodeClock) {}

  private get origin(): number {
    return this.clock.unixTime() - this.clock.now() / 1_000
  }

  /** `date`: what a node at this address has just signed, in whole Unix seconds. */
  add(address: UdpAddress, date: number): void {
    const { clock, origin } = this
    // Half a second is what a date in whole seconds lacks on average.
    this.votes.set(voterAt(address), { offset: date + 0.5 - clock.unixTime(), origin, at: clock.now() })
  }

  /** The median, in seconds; undefined until three hosts have answered, and after our clock was set. */
  get seconds(): number | undefined {
    const { origin } = this
    const now = this.clock.now()
    const offsets = [...this.votes.values()]
      .filter((vote) => now - vote.at < MAX_AGE_MS && Math.abs(vote.origin - origin) < JUMP)
      .map(({ offset }) => offset)
      .sort((a, b) => a - b)
    return offsets.length < ENOUGH ? undefined : offsets[offsets.length >> 1]
  }
}

/** There are no strangers on this machine. */
const voterAt = ({ host, port }: UdpAddress): string => (host.startsWith('127.') ? `${host}:${port}` : host)
