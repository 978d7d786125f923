export { newRldpCounts } from './counts.ts'
export { MemoryBudget } from './memory-budget.ts'
export { type QueryOptions, Rldp } from './rldp.ts'
