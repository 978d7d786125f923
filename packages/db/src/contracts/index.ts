export { loadCodesWithoutMethods, storeMethods } from './code-methods.ts'
export { storeDnsZones } from './dns-zones.ts'
export type { HeldCells } from './held-cells.ts'
export {
  countHiddenCurrencies,
  type HiddenCurrencies,
  listHiddenCurrencies,
  offerCurrencies,
  postponeHiddenCurrencies,
  storeFoundCurrencies,
} from './hidden-currencies.ts'
export { countMissingStates, type SetAside, setAsideContracts } from './missing-states.ts'
export { requeueNextNaming } from './naming-queue.ts'
export { readNetworkConfig, storeNetworkConfig } from './network-config.ts'
export {
  claimContracts,
  countRefreshQueue,
  loadContracts,
  loadFormerState,
  postponeContract,
  prolongContracts,
  type QueuedContract,
  type StoredContract,
} from './refresh-queue.ts'
export {
  missingLibrary,
  missingState,
  readAwaitedLibraries,
  requeueMissing,
  requeueWithCell,
  requeueWithLibraries,
} from './requeue-missing.ts'
export { type SeedState, seedStates } from './seed-states.ts'
export { loadCodes, loadFormerCodes, loadReceivedCells, loadTrees, type StatePart } from './state-parts.ts'
export { deriveTokenEvents } from './token-events.ts'
export { type Examined, writeContracts } from './write-contracts.ts'
