export {
  type BalanceHolder,
  type BalanceRow,
  listBalanceChanges,
  listPeriodBalances,
} from './balance-history.ts'
export { type BalanceAtRow, readJettonsAt, readTonAt } from './balances-at.ts'
export { findJettonWallet } from './find-wallet.ts'
export {
  countWallets,
  type HolderRow,
  listHoldersByBalance,
  listHoldersByWallet,
  totalHolders,
} from './jetton-holders.ts'
export { findJettonOrigin } from './jetton-origin.ts'
export { findBlockOfTime, findPastBlock, type PastBlock } from './past-block.ts'
