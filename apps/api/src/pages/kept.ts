/** A value that is read when it is older than `maxAgeMs`, and by one reader at a time. */
export class Kept<T> {
  private value: { readonly at: number; readonly of: T } | undefined
  private reading: Promise<T> | undefined

  constructor(
    private readonly maxAgeMs: number,
    private readonly load: () => Promise<T>,
  ) {}

  async read(): Promise<T> {
    if (this.value && performance.now() - this.value.at < this.maxAgeMs) return this.value.of
    this.reading ??= this.load().finally(() => {
      this.reading = undefined
    })
    const of = await this.reading
    this.value = { at: performance.now(), of }
    return of
  }
}
