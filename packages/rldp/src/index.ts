export { newRldpCounts, type RldpCounts } from './counts.ts'
export { AnswerTooLong, QueryTimedOut, TransferFailed } from './errors.ts'
export { MemoryBudget } from './memory-budget.ts'
export { type QueryOptions, Rldp, type RldpOptions } from './rldp.ts'
