/** `workchain:64 upper-case hex`; key of rows and facts. */
export type Address = string
/** Standard base64 of 32 bytes. */
export type Hash = string

/** A message. Times in Unix seconds, amounts in nanotons; null when the chain has no such value. */
export interface TraceMessage {
  readonly hash: Hash
  /** Null: external-in. */
  readonly source: Address | null
  /** Null: external-out, a log. */
  readonly destination: Address | null
  readonly value: bigint | null
  /** Currency id -> amount; null or absent: none. */
  readonly extraCurrencies?: Readonly<Record<string, string>> | null
  readonly createdLt: bigint | null
  readonly createdAt: number | null
  /** First 32 bits of the body, unsigned; null when the body is shorter. */
  readonly opcode: number | null
  readonly bounce?: boolean | null
  /** Bag of cells; null or empty: the empty cell. */
  readonly body: Uint8Array | null
  readonly initState?: Uint8Array | null
}

/** A transaction. `now`: Unix seconds; statuses by the names of `ACCOUNT_STATUS`. */
export interface TraceTransaction {
  readonly hash: Hash
  readonly account: Address
  readonly lt: bigint
  readonly now: number
  readonly mcBlockSeqno: number
  readonly origStatus: string
  readonly endStatus: string
  /** `ord`, `tick_tock`, ... : the names of `TRANSACTION_KIND`. */
  readonly kind: string
  readonly aborted: boolean
  readonly exitCode: number | null
  /** Why the compute phase did not run; null or absent when it ran or the reason is unknown. */
  readonly skipReason?: string | null
  readonly inMessage: TraceMessage | null
  /** Bodies are needed for external-out messages only: a message between accounts is read at its receiver. */
  readonly outMessages: readonly TraceMessage[]
}

/** A trace as the classifier reads it. Times in Unix seconds. */
export interface Trace {
  readonly traceId: Hash
  readonly externalHash: Hash | null
  readonly externalHashNorm: Hash | null
  readonly mcBlockSeqnoEnd: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly startUtime: number
  readonly endUtime: number
  /**
   * Number of transactions in the whole trace, when `transactions` may have only some of them. Absent when it
   * has all.
   */
  readonly nodes?: number
  /** In any order. */
  readonly transactions: readonly TraceTransaction[]
}
