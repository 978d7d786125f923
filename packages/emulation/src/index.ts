// Emulation of messages.

// Actions of emulated traces.
export { classifyBegun, classifyEmulated, type IndexedKnowledge } from './classify.ts'
export type { DeployedContract } from './deployed-contracts.ts'
export { type EmulateTraceOptions, emulateTail, emulateTrace, type Moment } from './emulate-trace.ts'
export { finalStates } from './emulated-contracts.ts'
export { type EmulationCode, EmulationError } from './errors.ts'
export { NodeChain, openChain } from './node-chain.ts'
// Requests for previews.
export { type EmulationResult, Emulator } from './previews/emulator.ts'
export { ManyPreviews, type Previewer, type PreviewThread } from './previews/many-previews.ts'
export { NoPlaceFree, Places } from './previews/places.ts'
export { type EmulationParts, readTonConnectRequest, readTraceRequest } from './previews/read-requests.ts'
export { type RootMessage, readRootMessage } from './read-message.ts'
// Messages that a wallet would send.
export { walletMessage } from './ton-connect/wallet-request.ts'
export type { AccountView, ChainView, EmulatedTrace, EmulatedTransaction, KnownTransaction } from './types.ts'
