import { setImmediate } from 'node:timers/promises'

/** How long one reply may keep the event loop before others have their turn. Milliseconds. */
const TURN_MS = 8

/** Shares the event loop: long work asks after every step whether its turn is over. */
export class Pace {
  private turnEnds = performance.now() + TURN_MS

  /** Undefined while the turn lasts, so that short work never waits. */
  rest(): Promise<void> | undefined {
    return performance.now() < this.turnEnds ? undefined : this.yieldTurn()
  }

  private async yieldTurn(): Promise<void> {
    await setImmediate()
    this.turnEnds = performance.now() + TURN_MS
  }
}

/** All values in order, without keeping the event loop. */
export async function mapPaced<A, B>(values: Iterable<A>, map: (value: A) => B): Promise<B[]> {
  const pace = new Pace()
  const mapped: B[] = []
  for (const value of values) {
    mapped.push(map(value))
    await pace.rest()
  }
  return mapped
}
