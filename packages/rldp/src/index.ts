export { newRldpCounts } from './counts.ts'
export { MemoryBudget } from './memory-budget.ts'
export { type QueryOptions, Rldp, type RldpOptions } from './rldp.ts'
