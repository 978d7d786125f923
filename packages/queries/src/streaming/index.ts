export { lastOfAccountInBatch, ofAccountInBatch } from './account-in-batch.ts'
export { type ChangeRow, changesOfBatch, changesSince, ltBefore } from './batch-changes.ts'
export { blockBefore } from './block-before.ts'
export { indexedRangeFrom } from './followed-range.ts'
export {
  allActionsOfTraces,
  tracesByIds,
  tracesEndedIn,
  tracesWithActionsSince,
  unclassifiedAmong,
  unclassifiedSince,
} from './trace-changes.ts'
export {
  formerWalletsAmong,
  type JettonWalletState,
  jettonWalletsAmong,
  type UnexaminedAccount,
  unexaminedAmong,
  unexaminedSince,
  walletsOfOwnersSince,
} from './wallet-changes.ts'
