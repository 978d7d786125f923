import type { NodeClock } from '@shardwalk/adnl'
import type { ClockOffset } from './clock-offset.ts'

/** Nodes discard broadcasts whose date differs by 20 s; less harms nothing. Seconds. */
const TOLERATED = 15

/** Whether nodes discard what a clock dates that differs from theirs by so many seconds. */
export const isFarOff = (seconds: number): boolean => Math.abs(seconds) > TOLERATED

/**
 * Our clock, and what servers of the global config say where these differ by much: nodes would neither answer
 * nor be believed otherwise. No stranger has a say in it.
 */
export class CorrectedClock implements NodeClock {
  constructor(
    readonly own: NodeClock,
    private readonly servers: ClockOffset,
  ) {}

  now(): number {
    return this.own.now()
  }

  unixTime(): number {
    return this.own.unixTime() + this.correction
  }

  /** Whether it differs from our clock. */
  get isCorrected(): boolean {
    return this.correction !== 0
  }

  /** Seconds; 0 where our clock is right, or nothing else is known. */
  private get correction(): number {
    const { seconds = 0 } = this.servers
    return isFarOff(seconds) ? seconds : 0
  }
}
