import { isLong } from '@shardwalk/testkit/runs'

/** All of the recorded chain. */
export const WHOLE = { from: 1, to: 529 }

/** The masterchain blocks that are looked at: every dataset of a range has rows of them. */
export const SAMPLE = isLong ? WHOLE : { from: 261, to: 329 }

/** Where transactions have whatever phases there are. */
export const BUSY = isLong ? WHOLE : { from: 61, to: 80 }
