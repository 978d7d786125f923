export { activeRanges, alongActivity, sharedActivity, withinActive } from './active-ranges.ts'
export { newestPartitions, withHash } from './newest-partitions.ts'
