import type { DecodedTransaction } from '@shardwalk/model'

/** 32 bytes. */
export type Hash = Buffer

/** `broken`: the root's sender is not known (yet). `pending`: a message waits for its receiver. */
export type TraceState = 'pending' | 'complete' | 'broken'

/** One trace as stored. Sums and maxima over its transactions, so that the row does not depend on the order of arrival. */
export interface TraceRow {
  /** Hash of the root transaction. */
  readonly traceId: Hash
  /** Hash of the root's inbound message, whatever its kind; undefined for a root without one. */
  readonly externalHash?: Hash
  /** TEP-467 hash of an external-in root message, when it differs. */
  readonly externalHashNorm?: Hash
  readonly state: TraceState
  /** Of the root. */
  readonly mcSeqnoStart: number
  readonly mcSeqnoEnd: number
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

/**
 * An internal message of which one end is indexed. `out`: sent, waits for its receiver. `in`: received, its sender is not
 * known. One row per message: its hash is the key.
 */
export interface PendingEdge {
  readonly messageHash: Hash
  readonly end: 'out' | 'in'
  /** The trace of the known end. */
  readonly traceId: Hash
  /** lt of the transaction at the known end. */
  readonly lt: bigint
}

/** A transaction with the masterchain block that committed it. */
export interface TraceInput {
  readonly transaction: Pick<DecodedTransaction, 'hash' | 'lt' | 'now' | 'inMsg' | 'outMsgs'>
  readonly mcSeqno: number
}

/** What the store knew about the messages of a batch (`messagesOf`): their pending edges, and the rows of those edges' traces. */
export interface KnownTraces {
  readonly edges: readonly PendingEdge[]
  readonly traces: readonly TraceRow[]
}

/** What a batch changes, to be written in the batch's own transaction. Apply in this order. */
export interface Assembly {
  /** Pending edges that both ends are known of now: delete. */
  readonly consumedEdges: readonly Hash[]
  /**
   * A fragment whose sender arrived becomes part of the sender's trace: `transactions.trace_id`, `pending_edges.trace_id` and
   * whatever else names it change from `from` to `into`; the row of `from` goes. `into` is final: never a `from` itself.
   */
  readonly mergedTraces: readonly { readonly from: Hash; readonly into: Hash }[]
  /** Pending edges to insert. A conflict on the key means that the other end was written meanwhile: retry the batch. */
  readonly newEdges: readonly PendingEdge[]
  /** Rows to insert or replace. */
  readonly traceRows: readonly TraceRow[]
  /** Trace of every transaction of the batch; keys are hashes as latin1 text. */
  readonly traceIdByTransaction: ReadonlyMap<string, Hash>
}
