// Rows as the texts of replies.

// Accounts of a reply.
export { AccountNumbers } from './accounts/account-numbers.ts'
export { Listing } from './accounts/address-book-listing.ts'
export { describeAddresses } from './accounts/descriptions.ts'
export { jettonWalletText } from './accounts/jetton-wallet-text.ts'
// Actions.
export { expectOrders, readActionsOf, withoutActions } from './actions/order-actions.ts'
export { renderActions } from './actions/render-actions.ts'
// What messages would do.
export { renderEmulation } from './emulated/render-emulation.ts'
// What messages that were sent are expected to do.
export { type PendingAction, renderPendingActions } from './pending/pending-actions.ts'
export {
  byDescendingLt,
  latest,
  pendingTraceReply,
  stillExpected,
  understood,
} from './pending/pending-replies.ts'
export {
  type Indexed,
  indexedAmong,
  type PendingNode,
  type PendingTrace,
  renderPending,
} from './pending/pending-traces.ts'
export type { Page, RenderContext } from './render-context.ts'
export { renderLazily, renderRows } from './render-rows.ts'
export {
  BASE64,
  DEFAULT_MAX_REPLY_BYTES,
  ReplySize,
  ReplyTooLarge,
  TYPICAL_BYTES,
  UNLIMITED,
  wholeReply,
} from './reply-size.ts'
// Traces.
export { sentHashOf, traceKey } from './traces/trace-key.ts'
export { renderActionParts, renderTransactions, treeOf } from './traces/trace-parts.ts'
export { renderTraces } from './traces/trace-reply.ts'
// Transactions and messages.
export { renderTransactionPage } from './transactions/render-transactions.ts'
export { replyContext, toView } from './transactions/reply-context.ts'
