import { RoundTrip } from '@shardwalk/adnl'

/** Nothing is known of a line that has sent less. */
const LIMITS = { firstMs: 300, minMs: 20, maxMs: 1_200 }
const MAX_LOSS = 0.5
/** Symbols over which the loss is a mean. */
const MEMORY = 128

/** What transfers to one peer find out about the way there. */
export class Line {
  private readonly roundTrip = new RoundTrip(LIMITS)
  private lost = 0

  /** Silence after which what is under way counts as lost. Milliseconds. */
  get silenceMs(): number {
    return this.roundTrip.timeoutMs
  }

  /** Share of symbols that do not arrive, 0 to 0.5. */
  get loss(): number {
    return this.lost
  }

  heardAfter(tookMs: number): void {
    this.roundTrip.sample(tookMs)
  }

  /** Of `settled` symbols, `arrived` did. Late ones make up for themselves in later reports. */
  settled(settled: number, arrived: number): void {
    if (settled === 0) return
    const share = Math.min(MAX_LOSS, Math.max(0, 1 - arrived / settled))
    this.lost += (share - this.lost) * Math.min(1, settled / MEMORY)
  }
}
