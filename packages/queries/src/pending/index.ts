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
export { replacedBlocks } from './replaced-blocks.ts'
