export { activeRanges, alongActivity, sharedActivity, withinActive } from './active-ranges.ts'
export { hashSearch, newestPartitions, withHash } from './newest-partitions.ts'
