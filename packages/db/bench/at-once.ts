/** Runs pieces of work, at most a given number at once. */
export class AtOnce {
  private readonly running = new Set<Promise<unknown>>()

  constructor(private readonly most: number) {}

  /** Begins `work` as soon as there is room for it. */
  async begin(work: () => Promise<unknown>): Promise<void> {
    while (this.running.size >= this.most) await Promise.race(this.running)
    const one = work().finally(() => this.running.delete(one))
    this.running.add(one)
  }

  async end(): Promise<void> {
    await Promise.all(this.running)
  }
}
