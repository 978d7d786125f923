import { HttpError } from './errors.ts'

const MEBIBYTE = 1_048_576
export const DEFAULT_MAX_REPLY_BYTES = 64 * MEBIBYTE

/** Average size of a row of the public chain as JSON, with everything that belongs to it. Bytes. */
export const TYPICAL_BYTES = {
  transaction: 1500,
  message: 1500,
  /** Including its messages. */
  wholeTransaction: 5000,
  action: 1500,
  address: 75,
} as const

/** Maximum size of a reply. */
export class ReplySize {
  constructor(readonly maxBytes: number = DEFAULT_MAX_REPLY_BYTES) {}

  /**
   * Must be called before anything is loaded for the rows of a page. `instead`: advice for the client. Throws
   * `HttpError` 422.
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
