export { adjacentTransactions } from './adjacent-transactions.ts'
export { type ByMessageFilter, listTransactionsByMessage } from './by-message.ts'
export { findResultOfMessage, findSourceOfMessage, type InternalMessage } from './ends-of-message.ts'
export {
  LONG_LT,
  type TraceTransactionRow,
  transactionsByHash,
  transactionsOfTraces,
} from './find-transactions.ts'
export { listTransactions, type TransactionFilter } from './list-transactions.ts'
export { listTransactionsOfBlocks } from './of-blocks.ts'
export { ACCOUNT_UNINDEXED } from './shard-range.ts'
export { loadTransactionParts, type StateRow, type TransactionParts } from './transaction-parts.ts'
export type { TransactionRow } from './transaction-rows.ts'
