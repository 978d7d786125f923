import type { Lease } from '@shardwalk/concurrency'

/** Longer than that of other queues: lists of millions of owners are read in one piece. */
export const LEASE: Lease = { seconds: 60, prolongAfterMs: 20_000 }
