export { ltWindows } from './lt-windows.ts'
export { newestPartitions, withHash } from './newest-partitions.ts'
