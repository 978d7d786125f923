// Emulation of messages.

// Actions of emulated traces.
export { type BegunTrace, classifyBegun, classifyEmulated, type IndexedFacts } from './classify.ts'
export { type EmulateTraceOptions, emulateTail, emulateTrace, type Moment } from './emulate-trace.ts'
export { finalStates } from './emulated-contracts.ts'
export { type EmulationCode, EmulationError } from './errors.ts'
export { EMULATION_LIMITS, type EmulationLimits } from './limits.ts'
export { NodeChain, openChain } from './node-chain.ts'
export { type RootMessage, readRootMessage } from './read-message.ts'
// Messages that a wallet would send.
export {
  type RequestedMessage,
  type Wallet,
  type WalletRequest,
  walletMessage,
} from './ton-connect/wallet-request.ts'
export type { AccountView, ChainView, EmulatedTrace, EmulatedTransaction, KnownTransaction } from './types.ts'
