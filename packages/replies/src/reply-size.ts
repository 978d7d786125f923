const MEBIBYTE = 1_048_576
/** Bytes of a reply, unless the operator sets another limit. */
export const DEFAULT_MAX_REPLY_BYTES = 64 * MEBIBYTE
/** Of a reply that is put together before it is written: objects, and everything of lite servers. */
const MAX_WHOLE_BYTES = 16 * MEBIBYTE

/** Average size of a row of the public chain as JSON, with everything that belongs to it. Bytes. */
export const TYPICAL_BYTES = {
  transaction: 1500,
  message: 1500,
  /** Including its messages. */
  wholeTransaction: 5000,
  action: 1500,
  address: 75,
} as const

/** Characters of base64 per byte. */
export const BASE64 = 4 / 3

/** A reply would be too large. The message tells the client how to ask for less. */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge'
}

/** Maximum size of a reply. */
export class ReplySize {
  constructor(readonly maxBytes: number = DEFAULT_MAX_REPLY_BYTES) {}

  /**
   * Must be called before anything is loaded for the rows of a page. `instead`: advice for the client. Throws
   * `ReplyTooLarge`.
   */
  expect(bytes: number, instead: string): void {
    if (bytes <= this.maxBytes) return
    throw new ReplyTooLarge(
      `the reply would have about ${inMebibytes(bytes)} MiB, the limit is ${inMebibytes(this.maxBytes)} ` +
        `MiB: ${instead}`,
    )
  }

  /** Whether so much may be too large, so that a sample of the rows should be rendered first. */
  isDoubtful(bytes: number): boolean {
    return bytes > this.maxBytes / 16
  }

  /** As `expect`, from a rendered sample: pages differ from the average of the chain. */
  expectLike({ bytes, units }: Rendered, allUnits: number, instead: string): void {
    if (units > 0) this.expect((bytes / units) * allUnits, instead)
  }
}

/** At most `count` of the rows, evenly spread: neighbours resemble each other in size. */
export function spread<Row>(rows: readonly Row[], count: number): readonly Row[] {
  if (rows.length <= count) return rows
  return Array.from({ length: count }, (_, index) => rows[Math.floor((index * rows.length) / count)] as Row)
}

/** Text that was rendered, and the transactions that are in it. */
export interface Rendered {
  readonly bytes: number
  readonly units: number
}

/** The size of a reply that is held in memory as a whole. */
export const wholeReply = (maxBytes: number): ReplySize => new ReplySize(Math.min(maxBytes, MAX_WHOLE_BYTES))

/** For what is not sent as one reply. */
export const UNLIMITED = new ReplySize(Number.POSITIVE_INFINITY)

const inMebibytes = (bytes: number): number => Math.max(1, Math.round(bytes / MEBIBYTE))
