/**
 * Blocks that may be on their way without anything being wrong: several are fetched at the same time, the
 * more the longer a round trip takes.
 */
const HEAD_LAG_BLOCKS = 12

/**
 * Whether the newest indexed masterchain block is further behind the head than fetching and writing explain.
 */
export const isBehindHead = (newestIndexed: number, head: number): boolean =>
  head - newestIndexed > HEAD_LAG_BLOCKS
