// Messages that were sent and have not happened yet.

export type { ConfirmedBlocks } from './confirmed/confirmed-blocks.ts'
export {
  type ConfirmedChanges,
  type ConfirmedState,
  type ConfirmedWallet,
  confirmedChanges,
  type KnownWallet,
  type WalletPorts,
} from './confirmed/confirmed-changes.ts'
export type { ConfirmedBlock } from './confirmed/confirmed-transaction.ts'
export type { SignedBlock } from './confirmed/signed-block.ts'
export type { BlockListener } from './confirmed/signed-block-watcher.ts'
export { ForwardedMessages } from './forwarded-messages.ts'
export { PendingKeeper } from './keeper.ts'
export { Pending, type PendingOptions } from './pending.ts'
export { readSentMessage } from './read-sent.ts'
export { decodeTrace, type StoredNode, type StoredState, type StoredTrace } from './stored-trace.ts'
export { tracesExpecting } from './traces-expecting.ts'
