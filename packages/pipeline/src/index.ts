export { BatchFetcher } from './batch-fetcher.ts'
export { CommitQueue, type CommitQueueOptions } from './commit-queue.ts'
export { BlockNotAvailable } from './errors.ts'
export { isBehindHead } from './head-lag.ts'
export { type IndexRangeOptions, indexRange } from './index-range.ts'
export {
  type BackfillOrder,
  countSeqnos,
  mergeRanges,
  missingRanges,
  planWork,
  type SeqnoRange,
  seqnosOf,
  type WorkState,
} from './plan.ts'
export type {
  AskOptions,
  BlockSource,
  DecodedBatch,
  Decoder,
  ProveHead,
  RawBatch,
  Sink,
  UndecodableBlock,
  UnreadInBlock,
  VersionOptions,
  WaitOptions,
} from './ports.ts'
export { readPredecessors, readSkeleton } from './skeleton.ts'
export { Window } from './window.ts'
