import type { DecodedMessage, DecodedTransaction } from '@shardwalk/model'

/** 32 bytes. */
export type Hash = Buffer

/** `broken`: the root's sender is not known (yet). `pending`: a message waits for its receiver. */
export type TraceState = 'pending' | 'complete' | 'broken'

/** One trace, or a piece of one. Sums and maxima over its transactions, so that the row does not depend on the order of arrival. */
export interface TraceRow {
  /** Hash of the root transaction. */
  readonly traceId: Hash
  /** Hash of the root's inbound message, whatever its kind; undefined for a root without one. */
  readonly externalHash?: Hash
  /** TEP-467 hash of an external-in root message, when it differs. */
  readonly externalHashNorm?: Hash
  readonly state: TraceState
  /** Of the root. */
  readonly mcBlockSeqnoStart: number
  readonly mcBlockSeqnoEnd: number
  /** Of the root, logical time. */
  readonly startLt: bigint
  /** Of the root, Unix seconds. */
  readonly startUtime: number
  readonly endLt: bigint
  readonly endUtime: number
  /** Transactions. */
  readonly nodes: number
  /** Messages: delivered ones, external ones and logs. */
  readonly edges: number
  /** Messages of which only one end is known: receivers to come, and the root's missing sender. */
  readonly pendingEdges: number
}

/** A transaction with the masterchain block that committed it. */
export interface TraceInput {
  readonly transaction: Pick<DecodedTransaction, 'hash' | 'lt' | 'now' | 'inMsg' | 'outMsgs'>
  readonly mcBlockSeqno: number
}

/** An internal message of which one end is in a batch. */
export interface OpenMessage {
  readonly message: DecodedMessage
  /** The piece with the known end: index into `Assembly.pieces`. */
  readonly piece: number
}

/** What a batch alone tells. */
export interface Assembly {
  /** Traces, or the parts of traces that lie in the batch. Without pending edges: whole, nothing can change it. */
  readonly pieces: readonly TraceRow[]
  /** By transaction, in the order of the batch: index of its piece. */
  readonly pieceOf: Int32Array
  /** Received here, sent elsewhere; in the order of their transactions. Each is the root of a piece. */
  readonly received: readonly OpenMessage[]
  /** Sent here, not received here. */
  readonly sent: readonly OpenMessage[]
}
