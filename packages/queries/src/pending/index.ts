export {
  awaitedMessages,
  invalidatedAmong,
  type PendingChange,
  type PendingRow,
  pendingAmong,
  pendingByHashes,
  pendingChanges,
  pendingOfAccounts,
} from './pending-rows.ts'
export { replacedBlocks, type UncertainBlock } from './replaced-blocks.ts'
