// Addresses.
export { formatFriendlyAddress, hasFriendlyForm, parseAddress } from '@shardwalk/cells'
export { rawAddressesIn } from './address.ts'
// Emulation.
export { toEmulationReply } from './emulate/emulated-trace.ts'
export {
  EmulateTonConnectBody,
  EmulateTraceBody,
  InvalidEmulation,
  readEmulationBody,
  strictBase64,
  toSeconds,
} from './emulate/requests.ts'
// Reading requests.
export { namedMembers } from './named-members.ts'
// Interface descriptions.
export {
  KEY_REFUSALS,
  type OpenApiOptions,
  type OtherFailure,
  openApiDocument,
  type RouteFacts,
} from './openapi.ts'
export { optional, type QuerySchema, withDefault } from './parameters.ts'
// The two wire profiles.
export { PROFILE_DIFFERENCES, PROFILES, type Profile, type ProfileRules, profileRules } from './profiles.ts'
export { closestName, InvalidQuery, parseQueryString, type RawQuery, readQuery } from './read-query.ts'
export { asyncApiDocument } from './streaming/async-api.ts'
export { eventSchemas } from './streaming/events.ts'
export { SubscriptionBody } from './streaming/frames.ts'
export { V1SubscriptionBody, v1EventSchemas } from './streaming/v1.ts'
export { toSwagger } from './swagger.ts'
export * from './v2/index.ts'
export * from './v3/account-queries.ts'
export { toAccountStateReply, toTopAccountReply, toWalletStateReply } from './v3/account-state.ts'
export { type ActionView, toActionReply } from './v3/action.ts'
export { ACTION_DETAILS } from './v3/action-details/index.ts'
export {
  type AddressBookEntry,
  addressBookRow,
  toAddressBook,
  toNamedAddressBook,
} from './v3/address-book.ts'
export { BalanceChangesReply, toBalanceChangesReply } from './v3/balance-changes.ts'
export {
  BalanceHistoryEntryReply,
  BalanceHistoryQuery,
  BalanceHistoryReply,
  BalancesQuery,
  BalancesReply,
  type HolderFacts,
  JettonHolderReply,
  JettonHoldersQuery,
  JettonHoldersReply,
  toBalanceHistoryEntry,
  toBalancesReply,
  toHolderFields,
  toJettonHolderReply,
} from './v3/balances.ts'
export { toBlockReply } from './v3/block.ts'
export * from './v3/contract-replies.ts'
export type { AddressOf } from './v3/contract-text.ts'
export { toDecodeReply } from './v3/decoded.ts'
export { toDnsAuctionReply, toDnsRecordReply } from './v3/dns-record.ts'
export {
  toJettonBurnReply,
  toJettonMasterReply,
  toJettonTransferReply,
  toJettonWalletReply,
} from './v3/jetton.ts'
export * from './v3/legacy.ts'
export {
  indexedAddressInformation,
  indexedWalletInformation,
  readStackEntries,
  toAddressInformation,
  toGetMethodResult,
  toWalletInformation,
} from './v3/lite-replies.ts'
export { type BodyFacts, bocText, type MessageView, toMessageReply } from './v3/message.ts'
export { type TokenInfo, toMetadata } from './v3/metadata.ts'
export { type OrderActions, readOrderActions, toMultisigOrderReply, toMultisigReply } from './v3/multisig.ts'
export { toNftCollectionReply, toNftItemReply, toNftTransferReply } from './v3/nft.ts'
export { accountsOfSale, toNftSaleReply } from './v3/nft-sale.ts'
// API v3: queries, reply schemas, serialisers.
export * from './v3/queries.ts'
export { BlockReply, ErrorReply, StreamRefusal, v3Replies } from './v3/replies.ts'
export type { ExtraCurrenciesJson, StateRow } from './v3/rows.ts'
export type { Json } from './v3/text.ts'
export * from './v3/token-queries.ts'
export { type TraceTransactionView, toTraceReply, toTraceTree, toTransactionsByHash } from './v3/trace.ts'
export * from './v3/trace-queries.ts'
export { traceReplies } from './v3/trace-replies.ts'
export {
  type TransactionReplyContext,
  type TransactionView,
  toStateAfterReply,
  toTransactionReply,
} from './v3/transaction.ts'
export { toVestingReply } from './v3/vesting.ts'
export * from './value-kinds.ts'
