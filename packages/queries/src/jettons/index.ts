export {
  type JettonBurnRow,
  type JettonEventFilter,
  type JettonTransferFilter,
  type JettonTransferRow,
  listJettonBurns,
  listJettonTransfers,
} from './jetton-events.ts'
export { type JettonMasterFilter, listJettonMasters } from './jetton-masters.ts'
export {
  type JettonWalletFilter,
  type JettonWalletPage,
  type JettonWalletRow,
  listJettonWallets,
} from './jetton-wallets.ts'
