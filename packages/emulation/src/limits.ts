/** Limits of one emulation. When one is reached it ends, and the trace is incomplete. */
export interface EmulationLimits {
  readonly transactions: number
  /** Maximum number of transactions on a path from the root, including the root. */
  readonly depth: number
  /** Messages sent by all transactions together. */
  readonly messages: number
  /** Gas of all transactions together. */
  readonly gas: bigint
  /** Bytes of the messages sent, each as a bag of its own. */
  readonly messageBytes: number
  /** Bytes of the resulting account states, because a large state slows down every run. */
  readonly stateBytes: number
}

/** Transactions and depth: same as TON Center. */
export const EMULATION_LIMITS: EmulationLimits = {
  transactions: 256,
  depth: 32,
  messages: 4096,
  gas: 50_000_000n,
  messageBytes: 8 * 1024 * 1024,
  stateBytes: 64 * 1024 * 1024,
}

/** Maximum number of bytes in the messages of one transaction if they share no cells. */
export const MAX_SENT_BYTES = 32 * 1024 * 1024
