export {
  loadStateAfter,
  loadStatesAfter,
  type StatesAfter,
  type TouchedAccounts,
  type UnreadState,
} from './account-states.ts'
export { decodeBlock, decodeOpenBlock, listTransactions, type TransactionPlace } from './decode-block.ts'
export { ShardFrontierGap, ShardWalkTooLong } from './errors.ts'
export { KnownCells } from './known-cells.ts'
export {
  type DecodeOptions,
  decodePredecessors,
  decodeSkeleton,
  type OpenBlock,
  openBlock,
} from './open-block.ts'
export { type WalkedBlock, type WalkRequest, walkBatch } from './shard-walk.ts'
