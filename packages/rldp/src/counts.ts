/** Totals of the transfers of a process. */
export interface RldpCounts {
  /** Answers that arrived whole, and their bytes. */
  answers: number
  answerBytes: number
  /** Queries of ours without an answer in time, and those that failed otherwise. */
  timedOut: number
  failed: number
  /** Queries and answers that we began to send. */
  sent: number
  /** Symbols that arrived; of these, such as replace lost ones, and such as were there already. */
  symbols: number
  repair: number
  duplicate: number
  /** Symbols of parts that were complete, or of transfers that were over. */
  late: number
  confirms: number
}

/** All zero. */
export const newRldpCounts = (): RldpCounts => ({
  answers: 0,
  answerBytes: 0,
  timedOut: 0,
  failed: 0,
  sent: 0,
  symbols: 0,
  repair: 0,
  duplicate: 0,
  late: 0,
  confirms: 0,
})
