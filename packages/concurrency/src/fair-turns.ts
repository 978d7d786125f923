import { FairQueue, type Place } from './fair-queue.ts'

/** How much work may wait for a turn, and how long. */
export interface WaitingLimits {
  readonly waiting: number
  readonly ms: number
  /** The error of work that would have to wait longer. */
  readonly refusal: () => Error
}

/** Bounds how much work runs at the same time; clients take turns. */
export class FairTurns {
  private readonly queue = new FairQueue<() => void>()
  private count = 0

  /** `limits`: default none. */
  constructor(
    private readonly most: number,
    private readonly limits?: WaitingLimits,
  ) {}

  /** Number of pieces of work that have a turn. */
  get running(): number {
    return this.count
  }

  /** Number of pieces of work that wait. */
  get waiting(): number {
    return this.queue.length
  }

  /** The result or error of the work, which starts when it is its turn, or the refusal of the limits. */
  async run<T>(work: () => Promise<T>, place: Place = {}): Promise<T> {
    if (this.count < this.most) this.count++
    else await this.wait(place)
    try {
      return await work()
    } finally {
      this.passOn()
    }
  }

  private wait(place: Place): Promise<void> {
    const { limits, queue } = this
    return new Promise((resolve, reject) => {
      if (limits && queue.length >= limits.waiting) return reject(limits.refusal())
      let timer: NodeJS.Timeout | undefined
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      queue.push(begin, place)
      if (!limits) return
      timer = setTimeout(() => {
        queue.remove(begin)
        reject(limits.refusal())
      }, limits.ms)
    })
  }

  /** A turn is handed over, so that no newcomer gets in between. */
  private passOn(): void {
    const next = this.queue.take()
    if (next) next()
    else this.count--
  }
}
