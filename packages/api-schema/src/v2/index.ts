// API v2: the catalogue, reading requests, shapes of replies.

export { readAccountState } from './account-state.ts'
export { dnsEntry, domainRecords } from './dns.ts'
export { type ExactJson, parseExactJson } from './exact-json.ts'
export { feesObject, readFeeRequest } from './fees.ts'
export { normalizedAddress, requestCell, type V2Address } from './kinds.ts'
export {
  V2_ALIASES,
  V2_METHODS,
  type V2Method,
  type V2MethodName,
  type V2ValuesOf,
  v2MethodName,
} from './methods.ts'
export * from './objects.ts'
export { v2OpenApiDocument } from './openapi.ts'
export { readV2Body, readV2Query } from './parameters.ts'
export { shown, type V2Form, V2Refusal } from './refusal.ts'
export { V2_RESULTS, type V2Results } from './results/index.ts'
export { readLegacyStack, readTypedStack, toLegacyStack, toTypedStack } from './stack.ts'
export { StackTooLarge } from './stack-budget.ts'
export { toV2Transaction } from './transaction.ts'
export { walletFields } from './wallet-information.ts'
