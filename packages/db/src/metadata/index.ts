export {
  type AirdropClaim,
  type AirdropCounts,
  type AirdropTask,
  claimAirdrop,
  countAirdrops,
  finishAirdrop,
  prolongAirdrop,
  putOffAirdrop,
  sweepAirdrops,
  writeAirdrop,
} from './airdrops.ts'
export {
  announceFetcher,
  claimMetadata,
  type MetadataQueueState,
  type MetadataTask,
  metadataFetcherAge,
  prolongMetadata,
  putOffMetadata,
  readMetadataQueue,
  requestMetadata,
  sweepMetadata,
} from './queue.ts'
export { failMetadata, importOverrides, saveMetadata } from './records.ts'
export { FETCHER_RUNS, isOutdated, TOKEN_TYPES, type TokenType } from './token-types.ts'
