export {
  claimContracts,
  countRefreshQueue,
  loadContracts,
  postponeContract,
  type QueuedContract,
  requeueItems,
  type StoredContract,
} from './refresh-queue.ts'
export { type SeedState, seedStates } from './seed-states.ts'
export { deriveTokenEvents } from './token-events.ts'
export { type Examined, writeContracts } from './write-contracts.ts'
