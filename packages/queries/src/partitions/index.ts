export { activeRanges, alongActivity, sharedActivity, wholeActivity, withinActive } from './active-ranges.ts'
export { hashSearch, newestPartitions, withHash } from './newest-partitions.ts'
