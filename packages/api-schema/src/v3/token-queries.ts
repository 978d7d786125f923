import type { RawAddress } from '@shardwalk/model'
import * as z from 'zod'
import { listOf, needed, optional, pageLimit, withDefault } from '../parameters.ts'
import {
  addressKey,
  addressKind,
  booleanKind,
  cursorKind,
  limitKind,
  sortKind,
  type ValueKind,
  wordKind,
} from '../value-kinds.ts'
import { needsOneOf, storedTextKind } from './account-queries.ts'
import { DEFAULT_LIMIT, page, REPEATED, sorted, window } from './queries.ts'

const LIST = 1000
const LONG_LIST = 1024
const DNS_LIMIT = 100

const transferDirection = wordKind<'in' | 'out' | 'both'>('a direction', {
  in: 'in',
  out: 'out',
  both: 'both',
})

/** Decimal digits. */
const indexKind: ValueKind<string> = {
  noun: 'an index',
  accepts: 'decimal digits',
  parse: (text) => ({ value: text }),
  schema: { type: 'string', pattern: '^[0-9]+$' },
}

/** An address may be given twice, in two forms. */
const countOf = (addresses: readonly RawAddress[] | undefined): number =>
  new Set(addresses?.map(addressKey)).size

const refuse = (ctx: z.core.$RefinementCtx, message: string): void =>
  ctx.addIssue({ code: 'custom', message })

/** `/jetton/masters`. */
export const JettonMastersQuery = z.object({
  address: listOf(addressKind, LONG_LIST, 'Jetton masters.'),
  admin_address: listOf(addressKind, LONG_LIST, 'Only masters with one of these admins.'),
  ...page,
})

/** `/jetton/wallets`. Several jettons require exactly one owner. */
export const JettonWalletsQuery = z
  .object({
    address: listOf(addressKind, LIST, 'Jetton wallets.'),
    owner_address: listOf(addressKind, LIST, 'Only wallets of these owners.'),
    jetton_address: listOf(
      addressKind,
      LIST,
      'Only wallets of these jettons. Several require exactly one owner.',
    ),
    exclude_zero_balance: optional(booleanKind, 'Whether to omit wallets with a zero balance.'),
    ...page,
    sort: optional(sortKind, 'Sort order by balance. Default: by address.'),
  })
  .superRefine((query, ctx) => {
    if (countOf(query.jetton_address) > 1 && countOf(query.owner_address) !== 1)
      refuse(ctx, 'exact one owner_address required for multiple jetton_address')
  })

const events = {
  ...window('events', '`transaction_lt`'),
  ...page,
  ...sorted('Sort order by `transaction_lt`, or by time if a time bound is given.'),
}

/** `/jetton/transfers`: transactions that `transfer` started in jetton wallets of senders (TEP-74). */
export const JettonTransfersQuery = z.object({
  owner_address: listOf(addressKind, LIST, 'Sender or receiver; see `direction`.'),
  address: listOf(addressKind, LIST, 'Older name of `owner_address`, which takes precedence.'),
  jetton_wallet: listOf(addressKind, LIST, 'Jetton wallets of the sender.'),
  jetton_master: optional(addressKind, 'Only transfers of this jetton.'),
  direction: optional(
    transferDirection,
    'With `owner_address`: `in` for received, `out` for sent. Default: both.',
  ),
  ...events,
})

/** `/jetton/burns`: transactions that `burn` started in jetton wallets (TEP-74). */
export const JettonBurnsQuery = z.object({
  address: listOf(addressKind, LIST, 'Older name of `owner_address`, which takes precedence.'),
  owner_address: listOf(addressKind, LIST, 'Owners whose jettons were burned.'),
  jetton_wallet: listOf(addressKind, LIST, 'Jetton wallets.'),
  jetton_master: optional(addressKind, 'Only burns of this jetton.'),
  ...events,
})

/** `/nft/collections`. */
export const NftCollectionsQuery = z.object({
  collection_address: listOf(addressKind, LONG_LIST, 'Collections.'),
  owner_address: listOf(addressKind, LONG_LIST, 'Only collections of these owners.'),
  ...page,
})

/** `/nft/items`. Several collections require exactly one owner, and `index` requires a collection. */
export const NftItemsQuery = z
  .object({
    address: listOf(addressKind, LIST, 'Items.'),
    owner_address: listOf(addressKind, LIST, 'Only items of these owners, as stored in the items.'),
    collection_address: listOf(
      addressKind,
      LIST,
      'Only items of these collections. Several require exactly one owner.',
    ),
    index: listOf(indexKind, LIST, 'Only items with these indices. Requires `collection_address`.', REPEATED),
    include_on_sale: withDefault(
      booleanKind,
      false,
      'With `owner_address`: whether to include items that these owners put up for sale.',
    ),
    sort_by_last_transaction_lt: optional(
      booleanKind,
      'Whether to sort by the last transaction, newest first.',
    ),
    ...page,
  })
  .superRefine((query, ctx) => {
    if (countOf(query.collection_address) > 1 && countOf(query.owner_address) !== 1)
      refuse(ctx, 'exact one owner_address required for multiple collection_address')
    if (query.index && !query.collection_address)
      refuse(ctx, 'index parameter is not allowed without the collection_address')
    if (query.index?.some((text) => !/^\d{1,78}$/.test(text))) refuse(ctx, 'index should contain digits only')
  })

/** `/nft/transfers`: transactions that `transfer` started in items (TEP-62). */
export const NftTransfersQuery = z.object({
  owner_address: listOf(addressKind, LIST, 'Old or new owner; see `direction`.'),
  address: listOf(addressKind, LIST, 'Older name of `owner_address`, which takes precedence.'),
  item_address: listOf(addressKind, LIST, 'Items.'),
  collection_address: optional(addressKind, 'Only items of this collection.'),
  direction: optional(
    transferDirection,
    'With `owner_address`: `in` for received, `out` for sent. Default: both.',
  ),
  ...events,
})

/** `/nft/sales`. Addresses that sell nothing are omitted from the reply. */
export const NftSalesQuery = z
  .object({
    address: needed(listOf(addressKind, 1_000_000, 'Sale and auction contracts, and Telegram items.')),
  })
  .superRefine(needsOneOf(['address'], 'at least 1 address required'))
  .superRefine((query, ctx) => {
    if ((query.address?.length ?? 0) > LIST) refuse(ctx, `maximum ${LIST} addresses allowed`)
  })

/** `/dns/records`. Requires either the wallet or the domain, not both. */
export const DnsRecordsQuery = z
  .object({
    wallet: optional({ ...addressKind, emptyIsAbsent: true }, 'Wallet address in the record of the domain.'),
    domain: optional(
      { ...storedTextKind, emptyIsAbsent: true },
      'Complete domain name, e.g. `foundation.ton`.',
    ),
    ...page,
    limit: withDefault(limitKind(LIST), DNS_LIMIT, 'Maximum number of rows to return.'),
  })
  .superRefine((query, ctx) => {
    if (query.wallet === undefined && query.domain === undefined)
      refuse(ctx, 'either wallet address or domain is required')
    if (query.wallet !== undefined && query.domain !== undefined)
      refuse(ctx, 'provide either wallet address or domain, not both')
  })

const auctionState = wordKind<'all' | 'won' | 'bidding'>(
  'a state of auctions',
  { all: 'all', won: 'won', bidding: 'bidding' },
  { emptyIsAbsent: true },
)

/** `/dns/activeAuctions`. `after` is `cursor` by the name that TON Center gives it here. */
export const DnsAuctionsQuery = z
  .object({
    bidder: needed(optional({ ...addressKind, emptyIsAbsent: true }, 'Who has made the highest bid.')),
    state: withDefault(
      auctionState,
      'all',
      'Only auctions that run (`bidding`), or that are over but whose winner has not taken the domain ' +
        '(`won`).',
    ),
    include_nft_items: withDefault(booleanKind, false, 'Whether to include the item of each domain.'),
    after: optional({ ...cursorKind, emptyIsAbsent: true }, 'The same as `cursor`, without `offset`.'),
    ...page,
    limit: withDefault(limitKind(LIST), DNS_LIMIT, 'Maximum number of rows to return.'),
  })
  .superRefine(({ bidder, after, offset, cursor }, ctx) => {
    if (bidder === undefined) refuse(ctx, 'bidder address is required')
    if (after !== undefined && offset > 0) refuse(ctx, 'use either after or offset, not both')
    if (after !== undefined && cursor !== undefined) refuse(ctx, 'use either after or cursor, not both')
  })

/** `/multisig/wallets`. Requires a contract, or a signer or proposer. */
export const MultisigWalletsQuery = z
  .object({
    address: listOf(addressKind, LONG_LIST, 'Multisig contracts.'),
    wallet_address: listOf(addressKind, LONG_LIST, 'Only multisigs with one of these signers or proposers.'),
    include_orders: withDefault(booleanKind, true, 'Whether to include all orders of each multisig.'),
    ...page,
    limit: pageLimit(limitKind(LONG_LIST), DEFAULT_LIMIT),
    ...sorted('Sort order by `last_transaction_lt`.'),
  })
  .superRefine(
    needsOneOf(
      ['address', 'wallet_address'],
      'At least one of address or wallet_address should be specified',
    ),
  )

/** `/multisig/orders`. Requires an order or a multisig. */
export const MultisigOrdersQuery = z
  .object({
    address: listOf(addressKind, LONG_LIST, 'Order contracts.'),
    multisig_address: listOf(addressKind, LONG_LIST, 'Only orders of these multisigs.'),
    parse_actions: withDefault(booleanKind, false, 'Fill `actions`.'),
    ...page,
    limit: pageLimit(limitKind(LONG_LIST), DEFAULT_LIMIT),
    ...sorted('Sort order by `last_transaction_lt`.'),
  })
  .superRefine(
    needsOneOf(
      ['address', 'multisig_address'],
      'At least one of address or multisig_address should be specified',
    ),
  )

/** `/vesting`. Requires a contract, or an owner or sender. */
export const VestingQuery = z
  .object({
    contract_address: listOf(addressKind, LIST, 'Vesting contracts.'),
    wallet_address: listOf(addressKind, LIST, 'Owners or senders of the vesting contracts.'),
    check_whitelist: withDefault(
      booleanKind,
      false,
      'With `wallet_address`: whether to include contracts that have it in their whitelist.',
    ),
    ...page,
  })
  .superRefine(
    needsOneOf(
      ['contract_address', 'wallet_address'],
      'at least one of contract_address or wallet_address is required',
    ),
  )
  .superRefine((query, ctx) => {
    if (query.contract_address && query.wallet_address)
      refuse(ctx, 'only one of contract_address or wallet_address should be specified')
  })

export type JettonMastersQuery = z.output<typeof JettonMastersQuery>
export type JettonWalletsQuery = z.output<typeof JettonWalletsQuery>
export type JettonTransfersQuery = z.output<typeof JettonTransfersQuery>
export type JettonBurnsQuery = z.output<typeof JettonBurnsQuery>
export type NftCollectionsQuery = z.output<typeof NftCollectionsQuery>
export type NftItemsQuery = z.output<typeof NftItemsQuery>
export type NftTransfersQuery = z.output<typeof NftTransfersQuery>
export type NftSalesQuery = z.output<typeof NftSalesQuery>
export type DnsAuctionsQuery = z.output<typeof DnsAuctionsQuery>
export type DnsRecordsQuery = z.output<typeof DnsRecordsQuery>
export type MultisigWalletsQuery = z.output<typeof MultisigWalletsQuery>
export type MultisigOrdersQuery = z.output<typeof MultisigOrdersQuery>
export type VestingQuery = z.output<typeof VestingQuery>
