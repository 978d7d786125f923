export { fillHashFilters } from './fill.ts'
export { blockOfKey, mayHaveKey } from './layout.ts'
export { type MessageValue, pairKeys } from './pairs.ts'
export type { FilteredPartition } from './write-filter.ts'
