export { type FillOptions, fillHashFilters } from './fill.ts'
export { blockOfHash, mayHaveHash } from './layout.ts'
export type { FilteredPartition } from './write-filter.ts'
