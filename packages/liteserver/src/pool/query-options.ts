import type { LiteFunctionName, LiteResults, WaitPrefix } from '@shardwalk/tl'

/** How long a query may take and which servers may answer it. */
export interface QueryOptions<N extends LiteFunctionName = LiteFunctionName> {
  /**
   * Total time, including waiting for a server, attempts and pauses. Default 10 s, plus the time of `wait`.
   */
  readonly timeoutMs?: number
  /**
   * How long to wait for connected servers that are busy or at their rate limit, which `timeoutMs` then does
   * not include. Default 0.
   */
  readonly patienceMs?: number
  readonly signal?: AbortSignal
  /** Runs the function once the server has masterchain block `wait.seqno`. */
  readonly wait?: WaitPrefix
  /**
   * Masterchain block the answer depends on: selects servers and distinguishes "too new" from "too old".
   * Derived from the arguments for masterchain ids.
   */
  readonly mcBlockSeqno?: number
  /**
   * Masterchain block that commits the requested block. Servers delete a shard block together with it, so it
   * tells them apart by the age of what they keep.
   */
  readonly committedBy?: number
  /**
   * The full id of the requested block may be invented: that a server does not find it says nothing about how
   * old the blocks are that it keeps.
   */
  readonly unproven?: boolean
  /** Old data: prefer archive servers. */
  readonly archive?: boolean
  /** Goes before other queries, and is sent to a second server if the answer takes unusually long. */
  readonly urgent?: boolean
  /** Accept the first server's answer, even if it is a refusal. */
  readonly once?: boolean
  /** Use only this server (`host:port`). */
  readonly server?: string
  /** Describes what is wrong with the answer, if anything; the server is then reported and another asked. */
  readonly check?: (value: LiteResults[N]) => string | undefined
}

/** An answer that passed its check, if there was one. */
export interface Answer<T> {
  readonly value: T
  /** `host:port`, for `report`. */
  readonly server: string
}
