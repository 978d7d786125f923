export { AccountCache, type AccountFacts, type AddressDirectory, type KnownAddress } from './account-cache.ts'
export {
  type AccountStateFilter,
  type AccountStateRow,
  accountStateBytes,
  findAccountStates,
} from './account-states.ts'
export { findSuspended } from './suspended.ts'
export { listTopAccounts } from './top-accounts.ts'
export { findWholeState } from './whole-state.ts'
