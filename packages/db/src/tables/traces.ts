/** Order of `traces.state`: the number is stored. `complete`: no message waits; nothing can change the trace any more. */
export const TRACE_STATE = ['complete', 'pending', 'broken'] as const

/** One row per trace, whatever its state. Key: trace_id. Sums and bounds over its transactions. */
export interface TracesTable {
  /** Hash of the root transaction. */
  trace_id: Buffer
  /** Hash of the root's in message, whatever its kind; null: the root has none. */
  external_hash: Buffer | null
  /** TEP-467 hash of an external-in root message, where it differs. */
  external_hash_norm: Buffer | null
  /** Of the root. */
  mc_seqno_start: number
  mc_seqno_end: number
  /** Of the root. */
  start_lt: bigint
  end_lt: bigint
  /** Of the root, Unix seconds. */
  start_utime: number
  end_utime: number
  /** Transactions. */
  nodes: number
  /** Messages: delivered ones, external ones and logs. */
  edges: number
  /** Messages of which only one end is indexed. */
  pending_edges: number
  /** Index into `TRACE_STATE`. */
  state: number
}

/** Complete traces whose actions are not made yet: the classifier's queue. Key: trace_id. */
export interface UnclassifiedTracesTable {
  trace_id: Buffer
  end_lt: bigint
}
