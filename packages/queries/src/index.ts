export * from './accounts/index.ts'
export { type ActionFilter, type ActionRow, actionsOfTraces, listActions } from './actions/index.ts'
export * from './address-book/index.ts'
export * from './balances/index.ts'
export {
  type BlockFilter,
  blocksOfShardState,
  findIndexedEnds,
  listBlocks,
  MasterchainBlockNotIndexed,
} from './blocks/index.ts'
export { cancelledBy, configurePlans, keepPlans } from './connections/keep-plans.ts'
export { withDeadline } from './connections/with-deadline.ts'
export { type DnsAuctionRow, listDnsAuctions } from './dns/dns-auctions.ts'
export { listDnsRecords } from './dns/dns-records.ts'
export {
  LIGHT_ROWS,
  type LtRange,
  ltRange,
  MAX_HELD_OFFSET,
  OffsetTooLarge,
  type Page,
  type PageRequest,
  PageTooLarge,
  type Sort,
  type SortedPageRequest,
  type TimeRange,
  WrongCursor,
} from './idiom/index.ts'
export * from './jettons/index.ts'
export {
  type AccountFilter,
  isUnsent,
  listMessages,
  loadEnds,
  type MessageFilter,
  type MessageListFilter,
  type MessageRow,
  messageKey,
  messageParts,
  type StoredMessage,
  withCode,
} from './messages/index.ts'
export {
  amountsOfOrderPage,
  amountsOfOrders,
  listMultisigOrders,
  listMultisigs,
  type OrderAmounts,
  ordersOfMultisigs,
} from './multisig/multisigs.ts'
export * from './nfts/index.ts'
export * from './pending/index.ts'
export { HeadCache, type HeadState } from './progress/head-cache.ts'
export { readIndexedHead } from './progress/indexed-head.ts'
export { findSyncState } from './progress/sync-state.ts'
export { readTableSizes } from './progress/table-sizes.ts'
export { COUNTED, readWaitingWork } from './progress/waiting-work.ts'
export * from './streaming/index.ts'
export type { TokenEventWindow } from './tokens/token-events.ts'
export {
  findChangeScope,
  type JettonMoveRow,
  jettonMoves,
  listTraces,
  placesOfMessages,
  placesOfTransactions,
  type TraceFilter,
  type TraceRow,
  type TransactionPlace,
  tonChanges,
} from './traces/index.ts'
export {
  adjacentTransactions,
  findResultOfMessage,
  findSourceOfMessage,
  type InternalMessage,
  listTransactions,
  listTransactionsByMessage,
  listTransactionsOfBlocks,
  loadTransactionParts,
  type TransactionFilter,
  type TransactionParts,
  type TransactionRow,
  transactionsByHash,
  transactionsOfTraces,
} from './transactions/index.ts'
export { listVestingContracts } from './vesting/vesting-contracts.ts'
