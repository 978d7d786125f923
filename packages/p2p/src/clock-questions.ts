/** While time goes by servers: a clock may be slewed, by 5 s in this time, which nothing shows but they. */
const CORRECTED_MS = 60_000
/** While none answers: the network may be down. */
const SILENT_MS = 60_000
const MOST_MS = 600_000

export interface ClockDoubts {
  /** Peers do not show that our clock is right to some seconds. */
  readonly isDoubtful: boolean
  /** Time goes by what servers have said. */
  readonly isCorrected: boolean
}

/** When the servers of the global config are asked for their clocks: while there are doubts, ever later. */
export class ClockQuestions {
  private pauseMs: number

  constructor(
    private readonly firstMs: number,
    /** Monotonic milliseconds. */
    private askedAt: number,
  ) {
    this.pauseMs = firstMs
  }

  isDue(now: number, { isDoubtful, isCorrected }: ClockDoubts): boolean {
    if (!isDoubtful && !isCorrected) {
      this.pauseMs = this.firstMs
      return false
    }
    return now - this.askedAt >= Math.min(this.pauseMs, isCorrected ? CORRECTED_MS : MOST_MS)
  }

  /** Records that they were asked, and how many have answered. */
  asked(now: number, answers: number): void {
    this.askedAt = now
    this.pauseMs = Math.min(answers > 0 ? MOST_MS : SILENT_MS, this.pauseMs * 2)
  }
}
