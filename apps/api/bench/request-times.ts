interface Answered {
  readonly ms: number
  readonly bytes: number
}

/** Larger replies take their time to be made and sent, however they are found. */
const LARGE = 1_000_000

/** How long the requests of one form take, one at a time. */
export class RequestTimes {
  private readonly answered: Answered[] = []
  private failed = 0

  /** `url`: of the request of a round. */
  constructor(private readonly url: (round: number) => string) {}

  async warmUp(round: number): Promise<void> {
    if (!this.isHopeless) await this.request(round)
  }

  /** The fastest of so many times counts. */
  async ask(round: number, times = 1): Promise<void> {
    if (this.isHopeless) return
    let [ms, bytes] = [Number.POSITIVE_INFINITY, 0]
    for (let time = 0; time < times; time++) {
      const start = performance.now()
      bytes = await this.request(round)
      ms = Math.min(ms, performance.now() - start)
    }
    this.answered.push({ ms, bytes })
  }

  /** Milliseconds within which this share of the requests was answered. */
  at(share: number): number {
    return within(this.answered, share)
  }

  /** Same of those whose replies have at most 1 MB; undefined: none has. */
  atOfSmall(share: number): number | undefined {
    const small = this.answered.filter(({ bytes }) => bytes <= LARGE)
    return small.length === 0 ? undefined : within(small, share)
  }

  toString(): string {
    const ms = (share: number) => this.at(share).toFixed(1).padStart(7)
    const largest = Math.max(0, ...this.answered.map(({ bytes }) => bytes))
    const text = `p50 ${ms(0.5)} p99 ${ms(0.99)} slowest ${ms(1)} ms ${String(largest).padStart(8)} B`
    return this.failed > 0 ? `${text} ${this.failed} failed` : text
  }

  /** What always times out needs no hundred rounds. */
  private get isHopeless(): boolean {
    return this.answered.length >= 5 && this.answered.every(({ ms }) => ms > 1000)
  }

  private async request(round: number): Promise<number> {
    const reply = await fetch(this.url(round))
    const text = await reply.text()
    if (reply.status !== 200) this.failed++
    return text.length
  }
}

function within(answered: readonly Answered[], share: number): number {
  const sorted = answered.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
