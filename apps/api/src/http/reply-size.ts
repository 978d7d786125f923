import { HttpError } from './errors.ts'

const MEBIBYTE = 1_048_576
export const DEFAULT_MAX_REPLY_BYTES = 64 * MEBIBYTE

/** JSON of one row, on average over the public chain, with what belongs to it. Bytes. */
export const TYPICAL_BYTES = {
  transaction: 1500,
  message: 1500,
  /** With its messages. */
  wholeTransaction: 5000,
  action: 1500,
  address: 75,
} as const

/** The size that a reply may have. */
export class ReplySize {
  constructor(readonly maxBytes: number = DEFAULT_MAX_REPLY_BYTES) {}

  /**
   * To be called before anything is loaded for the rows of a page. `instead`: what the client can leave out.
   * Throws `HttpError` 422.
   */
  expect(bytes: number, instead: string): void {
    if (bytes <= this.maxBytes) return
    throw new HttpError(
      422,
      `the reply would have about ${inMebibytes(bytes)} MiB, the limit is ${inMebibytes(this.maxBytes)} MiB: ${instead}`,
    )
  }
}

export const UNLIMITED = new ReplySize(Number.POSITIVE_INFINITY)

const inMebibytes = (bytes: number): number => Math.max(1, Math.round(bytes / MEBIBYTE))
