export {
  type AddressPolicy,
  DENIED_IPV4,
  DENIED_IPV6,
  isPublicAddress,
  PUBLIC_IPV6,
  publicExcept,
} from './address-policy.ts'
export { cleanJson, cleanText, type JsonObject, type JsonValue, parseDocument } from './document.ts'
export { type Fetched, type FetchOptions, fetchUrl, type Resolver, USER_AGENT } from './fetch-document.ts'
export { FetchError, type FetchFault } from './fetch-error.ts'
export { DEFAULT_GATEWAYS, gatewayUrls, ipfsPath, isIpfs } from './ipfs.ts'
export { contentUrl, type MetadataRecord, makeRecord, type RecordInput, TOKEN_KINDS, type TokenKind } from './record.ts'
export { checkUrl } from './url-policy.ts'
