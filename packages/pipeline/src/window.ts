/**
 * Limit for results that are not taken: none is begun beyond it, except the next one. What is not ready is
 * expected to weigh as much as the newest result.
 */
export interface WeightLimit<R> {
  readonly weigh: (result: R) => number
  readonly most: number
}

/** Processes several items concurrently and returns results in the order of the items. */
export class Window<T, R> {
  private readonly begun: { readonly result: Promise<R>; isReady: boolean; weight: number }[] = []
  private next = 0
  private newestWeight = 0

  /** `size`: number of items that are started and not taken. */
  constructor(
    private readonly items: readonly T[],
    private readonly size: number,
    private readonly begin: (item: T) => Promise<R>,
    private readonly limit?: WeightLimit<R>,
  ) {}

  /** True when everything has been taken. */
  get isDone(): boolean {
    return this.begun.length === 0 && this.next === this.items.length
  }

  /** True when the next result can be taken without waiting. */
  get isReady(): boolean {
    return this.begun[0]?.isReady ?? false
  }

  /** The next result. Throws the error of its item. */
  async take(): Promise<R> {
    this.fill()
    const first = this.begun[0]
    if (!first) throw new RangeError('everything has been taken')
    const result = await first.result
    this.begun.shift()
    this.fill()
    return result
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<R> {
    while (!this.isDone) yield await this.take()
  }

  private fill(): void {
    while (this.hasRoom && this.next < this.items.length) {
      const entry = { result: this.begin(this.items[this.next++]!), isReady: false, weight: 0 }
      const ready = (result: R) => {
        entry.isReady = true
        entry.weight = this.limit?.weigh(result) ?? 0
        this.newestWeight = entry.weight
      }
      // Also prevents a later failure from being an unhandled rejection.
      const failed = () => {
        entry.isReady = true
      }
      entry.result.then(ready, failed)
      this.begun.push(entry)
    }
  }

  private get hasRoom(): boolean {
    const { begun, limit } = this
    if (begun.length === 0 || begun.length >= this.size) return begun.length === 0
    const weightOf = ({ isReady, weight }: (typeof begun)[number]) => (isReady ? weight : this.newestWeight)
    return !limit || begun.reduce((sum, one) => sum + weightOf(one), 0) < limit.most
  }
}
