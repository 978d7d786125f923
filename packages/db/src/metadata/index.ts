export {
  announceFetcher,
  claimMetadata,
  countMetadataQueue,
  type MetadataTask,
  type MetadataWish,
  type PutOff,
  putOffMetadata,
  type SweepPage,
  sweepMetadata,
  wishMetadata,
} from './queue.ts'
export { failMetadata, importOverrides, type MetadataOverride, type StoredMetadata, saveMetadata } from './records.ts'
export { TOKEN_TYPES, type TokenType } from './token-types.ts'
