export {
  type JettonEventFilter,
  type JettonTransferFilter,
  listJettonBurns,
  listJettonTransfers,
} from './jetton-events.ts'
export { listJettonMasters } from './jetton-masters.ts'
export { type JettonWalletFilter, type JettonWalletPage, listJettonWallets } from './jetton-wallets.ts'
