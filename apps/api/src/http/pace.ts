import { setImmediate } from 'node:timers/promises'

/** How long the work for one reply may occupy the event loop before others get their turn. Milliseconds. */
const TURN_MS = 8

/** Shares the event loop: long work calls `rest` after every step. */
export class Pace {
  private turnEnds = performance.now() + TURN_MS

  /** Undefined while the turn lasts, so that short work is never delayed. */
  rest(): Promise<void> | undefined {
    return performance.now() < this.turnEnds ? undefined : this.yieldTurn()
  }

  private async yieldTurn(): Promise<void> {
    await setImmediate()
    this.turnEnds = performance.now() + TURN_MS
  }
}

/** Maps all values in order without occupying the event loop. */
export async function mapPaced<A, B>(values: Iterable<A>, map: (value: A) => B): Promise<B[]> {
  const pace = new Pace()
  const mapped: B[] = []
  for (const value of values) {
    mapped.push(map(value))
    await pace.rest()
  }
  return mapped
}
