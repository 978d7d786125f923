export { newestPartitions, withHash } from './newest-partitions.ts'
