import { RoundTrip } from '@shardwalk/adnl'

/** Nothing is known of a line that has sent less. */
const LIMITS = { firstMs: 300, minMs: 20, maxMs: 1_200 }
/** Answers of which it is not known what they answer. */
const MAX_GUESSES = 2
const MAX_LOSS = 0.5
/** Symbols over which the loss is a mean. */
const MEMORY = 128

/** Round trip and loss of the network path to one peer, learned from its transfers. */
export class Line {
  private readonly roundTrip = new RoundTrip(LIMITS)
  /** Round trip guessed from an answer to one of several attempts, until one is measured. */
  private guess: RoundTrip | undefined
  private guesses = 0
  private lost = 0

  /** Silence after which what is under way counts as lost. Milliseconds. */
  get silenceMs(): number {
    return (this.guess ?? this.roundTrip).timeoutMs
  }

  /** Share of symbols that do not arrive, 0 to 0.5. */
  get loss(): number {
    return this.lost
  }

  /**
   * There was an answer so long after the first and the last attempt. After several it is unknown which one
   * it answers. Until more is known it counts as the answer to the last one, because most round trips are
   * shorter than the first wait; if this happens repeatedly, the wait is too short.
   */
  answeredAfter(sinceFirstMs: number, sinceLastMs: number): void {
    const isClear = sinceFirstMs === sinceLastMs
    if (!isClear && this.roundTrip.isMeasured) return
    if (isClear || this.guesses === MAX_GUESSES) {
      this.guess = undefined
      this.roundTrip.sample(sinceFirstMs)
    } else {
      this.guess ??= new RoundTrip(LIMITS)
      this.guess.sample(sinceLastMs)
      this.guesses++
    }
  }

  /** Of `settled` symbols, `arrived` did. Late ones make up for themselves in later reports. */
  settled(settled: number, arrived: number): void {
    if (settled === 0) return
    const share = Math.min(MAX_LOSS, Math.max(0, 1 - arrived / settled))
    this.lost += (share - this.lost) * Math.min(1, settled / MEMORY)
  }
}
