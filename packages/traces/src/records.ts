import type { AccountId, DecodedMessage, DecodedTransaction, Lt, McBlockSeqno } from '@shardwalk/model'

/** 32 bytes. */
export type Hash = Buffer

/** `broken`: the sender of the root is not known yet. `pending`: a message has no receiver yet. */
export type TraceState = 'pending' | 'complete' | 'broken'

/** An external-in message, as far as lists select it. */
export interface ExternalIn {
  /** The receiver. */
  readonly accountId: AccountId
  /** First 32 bits of the body, signed; undefined: the body has fewer. */
  readonly opcode: number | undefined
  /** First 8 bytes of the body cell's hash, big-endian, signed. */
  readonly bodyHash8: bigint
}

/**
 * A trace or a piece of one. Sums and maxima over its transactions, so rows do not depend on arrival order.
 */
export interface TraceRow {
  /** Hash of the root transaction. */
  readonly traceId: Hash
  /** Hash of the root's inbound message of any kind; undefined for a root without one. */
  readonly externalHash?: Hash
  /** TEP-467 hash of an external-in root message; undefined if equal to `externalHash`. */
  readonly externalHashNorm?: Hash
  /** The root's inbound message; undefined if it is of another kind. */
  readonly externalIn?: ExternalIn
  readonly state: TraceState
  /** Masterchain block of the root. */
  readonly mcBlockSeqnoStart: McBlockSeqno
  readonly mcBlockSeqnoEnd: McBlockSeqno
  /** Logical time of the root. */
  readonly startLt: Lt
  /** Time of the root in Unix seconds. */
  readonly startUtime: number
  readonly endLt: Lt
  readonly endUtime: number
  /** Number of transactions. */
  readonly nodes: number
  /** Number of delivered messages, external messages and logs. */
  readonly edges: number
  /**
   * Number of messages of which one end is unknown: undelivered ones, and the root's if its sender is
   * missing.
   */
  readonly pendingEdges: number
}

/** A transaction with the masterchain block that committed it. */
export interface TraceInput {
  readonly transaction: Pick<DecodedTransaction, 'hash' | 'lt' | 'now' | 'inMsg' | 'outMsgs'>
  readonly mcBlockSeqno: McBlockSeqno
  /** The inbound message; undefined if it is of another kind. */
  readonly externalIn?: ExternalIn | undefined
}

/** An internal message of which only one end is in the batch. */
export interface OpenMessage {
  readonly message: DecodedMessage
  /** Index into `Assembly.pieces` of the piece with the known end. */
  readonly piece: number
}

/** What can be determined from one batch alone. */
export interface Assembly {
  /** Traces or parts of traces in the batch. One without pending edges is a whole trace. */
  readonly pieces: readonly TraceRow[]
  /** Index of the piece of each transaction, in batch order. */
  readonly pieceOf: Int32Array
  /** Messages received here and sent elsewhere, in transaction order. Each is the root message of a piece. */
  readonly received: readonly OpenMessage[]
  /** Messages sent here and not received here. */
  readonly sent: readonly OpenMessage[]
}
