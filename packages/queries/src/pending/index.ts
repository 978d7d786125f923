export {
  type PendingChange,
  type PendingRow,
  pendingAmong,
  pendingByHashes,
  pendingChanges,
  pendingOfAccounts,
} from './pending-rows.ts'
