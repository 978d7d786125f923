/** Processes several items concurrently and returns results in the order of the items. */
export class Window<T, R> {
  private readonly begun: { readonly result: Promise<R>; isReady: boolean }[] = []
  private next = 0

  /** `size`: number of items that are started and not taken. */
  constructor(
    private readonly items: readonly T[],
    private readonly size: number,
    private readonly begin: (item: T) => Promise<R>,
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
    while (this.begun.length < this.size && this.next < this.items.length) {
      const entry = { result: this.begin(this.items[this.next++]!), isReady: false }
      // Also prevents a later failure from being an unhandled rejection.
      const settled = () => {
        entry.isReady = true
      }
      entry.result.then(settled, settled)
      this.begun.push(entry)
    }
  }
}
