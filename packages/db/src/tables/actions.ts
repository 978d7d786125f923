/** What people did in complete traces, nested parts included. Key: (trace_id, action_id). Made by packages/actions. */
export interface ActionsTable {
  trace_id: Buffer
  action_id: Buffer
  type: string
  success: boolean
  start_lt: bigint
  end_lt: bigint
  start_utime: number
  end_utime: number
  /** Of the whole trace; lists are ordered by it. */
  trace_end_lt: bigint
  trace_end_utime: number
  trace_mc_seqno_end: number
  /** Number of the classifier that made the row (`CLASSIFIER_VERSION`). */
  classifier_version: number
  /** Null: no composite around it. */
  parent_action_id: Buffer | null
  /** Types of the composites around it, nearest first. */
  ancestor_type: string[]
  /** Transactions covered, by lt. */
  tx_hashes: Buffer[]
  /** Accounts that take part, in order of their addresses. */
  account_ids: bigint[]
  /** The columns of the type, as JSON text: amounts are decimal strings. */
  details: string
}

/** The actions of an account, in the order of lists. Key: (account_id, trace_end_lt, trace_id, end_lt, action_id). */
export interface ActionAccountsTable {
  account_id: bigint
  trace_end_lt: bigint
  trace_id: Buffer
  end_lt: bigint
  action_id: Buffer
  trace_end_utime: number
  end_utime: number
}

/** Faults of the classifier: the trace has its basic actions only. Key: trace_id. */
export interface ClassificationFailuresTable {
  trace_id: Buffer
  classifier_version: number
  /** Name of the matcher, or the stage outside of them. */
  matcher: string
  /** Message of the block that was looked at. */
  message_hash: Buffer | null
  error: string
  stack: string | null
}
