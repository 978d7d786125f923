/** How long one piece of work may occupy the event loop before others get their turn. Milliseconds. */
const TURN_MS = 5

const waiting: (() => void)[] = []

/**
 * Resolves when it is the caller's turn. Each iteration of the event loop resumes one waiting caller, in
 * order of arrival; with `setImmediate` alone, all of them would resume in the same iteration.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(goOn)
  })
}

function goOn(): void {
  const resolve = waiting.shift()!
  if (waiting.length > 0) setImmediate(goOn)
  resolve()
}

/** Shares the event loop: long work calls `rest` after every step. */
export class Pace {
  private turnEnds = performance.now() + TURN_MS

  /** Undefined while the turn lasts, so that short work is never delayed. */
  rest(): Promise<void> | undefined {
    return performance.now() < this.turnEnds ? undefined : this.yieldTurn()
  }

  private async yieldTurn(): Promise<void> {
    await nextTurn()
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
