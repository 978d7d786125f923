export { activeRanges, alongActivity, bothWithin, sharedActivity, withinActive } from './active-ranges.ts'
export { fromFirstPartitions } from './first-partitions.ts'
export { knownPartitions, newestPartitions } from './known-partitions.ts'
export { withHashes } from './with-hash.ts'
