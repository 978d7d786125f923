export { findChangeScope, type JettonMoveRow, jettonMoves, tonChanges } from './balance-changes.ts'
export { listTraces } from './list-traces.ts'
export type { TraceFilter, TraceRow } from './trace-filter.ts'
export { placesOfMessages, placesOfTransactions, type TransactionPlace } from './transaction-places.ts'
