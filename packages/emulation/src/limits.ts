/** What one emulation may cost. Beyond any of them it ends, and the trace is incomplete. */
export interface EmulationLimits {
  readonly transactions: number
  /** Transactions on the way from the root, the root included. */
  readonly depth: number
  /** Messages sent by all transactions. */
  readonly messages: number
  /** Gas of all transactions. */
  readonly gas: bigint
  /** Bytes of the messages sent, each counted as a bag of its own. */
  readonly messageBytes: number
  /** Bytes of the account states left behind: a large state costs time on every run. */
  readonly stateBytes: number
}

/** Transactions and depth: as TON Center. */
export const EMULATION_LIMITS: EmulationLimits = {
  transactions: 256,
  depth: 32,
  messages: 4096,
  gas: 50_000_000n,
  messageBytes: 8 * 1024 * 1024,
  stateBytes: 64 * 1024 * 1024,
}

/** Bytes that the messages of one transaction may have at most, if they share no cells. */
export const MAX_SENT_BYTES = 32 * 1024 * 1024
