import { FairQueue, type Place } from './fair-queue.ts'

/** Bounds how much work runs at the same time; clients take turns. */
export class FairTurns {
  private readonly queue = new FairQueue<() => void>()
  private running = 0

  constructor(private readonly most: number) {}

  /** Number of pieces of work that wait. */
  get waiting(): number {
    return this.queue.length
  }

  /** The result or error of the work, which starts when it is its turn. */
  async run<T>(work: () => Promise<T>, place: Place = {}): Promise<T> {
    if (this.running < this.most) this.running++
    else await new Promise<void>((resolve) => this.queue.push(resolve, place))
    try {
      return await work()
    } finally {
      this.passOn()
    }
  }

  /** A turn is handed over, so that no newcomer gets in between. */
  private passOn(): void {
    const next = this.queue.take()
    if (next) next()
    else this.running--
  }
}
