/** How long the requests of one form take, one at a time. */
export class RequestTimes {
  private readonly times: number[] = []
  private failed = 0
  private bytes = 0

  /** `url`: of the request of a round. */
  constructor(private readonly url: (round: number) => string) {}

  async warmUp(round: number): Promise<void> {
    if (!this.isHopeless) await this.request(round)
  }

  async ask(round: number): Promise<void> {
    if (this.isHopeless) return
    const start = performance.now()
    await this.request(round)
    this.times.push(performance.now() - start)
  }

  /** Milliseconds within which this share of the requests was answered. */
  at(share: number): number {
    const sorted = this.times.toSorted((a, b) => a - b)
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }

  toString(): string {
    const ms = (share: number) => this.at(share).toFixed(1).padStart(7)
    const text = `p50 ${ms(0.5)} p99 ${ms(0.99)} ms ${String(this.bytes).padStart(7)} B`
    return this.failed > 0 ? `${text} ${this.failed} failed` : text
  }

  /** What always times out needs no hundred rounds. */
  private get isHopeless(): boolean {
    return this.times.length >= 5 && this.times.every((one) => one > 1000)
  }

  private async request(round: number): Promise<void> {
    const reply = await fetch(this.url(round))
    this.bytes = (await reply.text()).length
    if (reply.status !== 200) this.failed++
  }
}
