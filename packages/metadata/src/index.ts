export {
  type AddressPolicy,
  DENIED_IPV4,
  isPublicAddress,
  publicExcept,
} from './address-policy.ts'
export { cleanJson, type JsonObject, type JsonValue, parseDocument } from './document.ts'
export { type Fetched, type FetchOptions, fetchUrl, USER_AGENT } from './fetch-document.ts'
export { FetchError, type FetchFault, HostResting } from './fetch-error.ts'
export {
  type DownloadLimits,
  type FetcherOptions,
  type FetchOutcome,
  HostBusy,
  MetadataFetcher,
  type TokenInput,
} from './fetcher.ts'
export { type GuardedRequest, type GuardOptions, sendGuarded } from './guarded-request.ts'
export { type HostLimitOptions, HostLimits, type Slot } from './host-limits.ts'
export { type ImageProxy, imageLinks } from './image-links.ts'
export { DEFAULT_GATEWAYS, gatewayUrl, isIpfs } from './ipfs.ts'
export { type ContentOverride, parseOverrides } from './overrides.ts'
export {
  contentUrl,
  type MetadataRecord,
  makeRecord,
  type RecordInput,
  TOKEN_KINDS,
  type TokenKind,
} from './record.ts'
export { failedSeconds, lifetimeSeconds, MAX_ATTEMPTS, retryDelaySeconds } from './schedule.ts'
export { type StoredToken, tokenInfo } from './token-info.ts'
export { checkUrl } from './url-policy.ts'
