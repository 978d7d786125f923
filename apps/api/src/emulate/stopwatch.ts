/** How long the steps of a request took, for the header `Server-Timing`. */
export class Stopwatch {
  private readonly laps: string[] = []
  private since = performance.now()

  lap(name: string): void {
    const now = performance.now()
    this.laps.push(`${name};dur=${(now - this.since).toFixed(1)}`)
    this.since = now
  }

  header(): string {
    return this.laps.join(', ')
  }
}
