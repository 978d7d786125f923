/**
 * Number of blocks that may be in progress normally: several are fetched concurrently, more with a longer
 * round trip.
 */
const HEAD_LAG_BLOCKS = 12

/**
 * Whether the newest indexed masterchain block is further behind the head than fetching and writing explain.
 */
export const isBehindHead = (newestIndexed: number, head: number): boolean =>
  head - newestIndexed > HEAD_LAG_BLOCKS
