export { BatchFetcher } from './batch-fetcher.ts'
export { BlockNotAvailable, BrokenChain, WrongBytes } from './errors.ts'
export { type IndexRangeOptions, indexRange } from './index-range.ts'
export {
  type BackfillOrder,
  countSeqnos,
  mergeRanges,
  missingRanges,
  type PlanLimits,
  type PlannedRange,
  planWork,
  type SeqnoRange,
  seqnosOf,
  type WorkState,
} from './plan.ts'
export type {
  BlockSource,
  DecodedBatch,
  Decoder,
  RawBatch,
  Sink,
  UndecodableBlock,
  UnreadInBlock,
  WaitOptions,
} from './ports.ts'
export { readSkeleton } from './skeleton.ts'
export { Window } from './window.ts'
