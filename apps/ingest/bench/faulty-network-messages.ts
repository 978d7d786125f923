/** Number of servers with the whole history, and the requests per second that each accepts. */
export const ARCHIVES = 2
export const PER_SECOND = 5

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
  /** `returned`: short ids of the blocks that some server returned. */
  | { readonly type: 'end'; readonly counts: readonly RequestCounts[]; readonly returned: readonly string[] }
