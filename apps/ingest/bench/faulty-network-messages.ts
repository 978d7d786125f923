/** Number of servers with the whole history, and the requests per second that each accepts. */
export const ARCHIVES = 2
export const PER_SECOND = 5
/** Rates and ages of the servers are learned in this time, which the rate of history leaves out. */
export const LEARNING_MS = 15_000

/** Requests that a server received. */
export interface RequestCounts {
  readonly name: string
  /** `getBlock` and `lookupBlock`. */
  readonly forBlocks: number
  /** Of all, because of the rate. */
  readonly refused: number
  readonly others: number
}

export type FaultyNetworkMessage =
  | { readonly type: 'ready'; readonly configs: readonly string[]; readonly ports: readonly number[] }
  /** `at`: Unix milliseconds. */
  | { readonly type: 'head'; readonly seqno: number; readonly at: number }
  | {
      readonly type: 'end'
      readonly counts: readonly RequestCounts[]
      /** Short ids of the blocks that some server returned. */
      readonly returned: readonly string[]
      /** Different blocks of history returned per second after `LEARNING_MS`. */
      readonly oldPerSecond: number
    }
