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
  type MetadataRequest,
  type MetadataTask,
  metadataFetcherAge,
  type PutOff,
  prolongMetadata,
  putOffMetadata,
  readMetadataQueue,
  requestMetadata,
  type SweepPage,
  sweepMetadata,
} from './queue.ts'
export {
  failMetadata,
  importOverrides,
  type MetadataOverride,
  type StoredMetadata,
  saveMetadata,
} from './records.ts'
export { TOKEN_TYPES, type TokenType } from './token-types.ts'
