import { serializeBoc } from '@shardwalk/cells'
import {
  contentAttributes,
  type Detected,
  type DnsItem,
  type MultisigOrder,
  type NftItem,
} from '@shardwalk/contracts'
import { type AccountId, formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { RoleKey, RoleRows, RoleTable } from '@shardwalk/tables'

/** A row and the table that it belongs to. */
export type RoleRow = { [T in RoleTable]: { readonly table: T; readonly row: RoleRows[T] } }[RoleTable]

type IdOf = (address: RawAddress) => AccountId

const row = <T extends RoleTable>(table: T, values: RoleRows[T]): RoleRow =>
  ({ table, row: values }) as RoleRow

/** Rows for all roles of one state of a contract. */
export function roleRows(found: readonly Detected[], key: RoleKey, idOf: IdOf): RoleRow[] {
  const item = found.find((one) => one.kind === 'nft_item')
  const domain = found.find((one) => one.kind === 'dns_item')?.domain
  return found.map((one) => roleRow(one, key, { idOf, item, domain }))
}

interface Context {
  readonly idOf: IdOf
  readonly item: NftItem | undefined
  readonly domain: string | undefined
}

function roleRow(found: Detected, key: RoleKey, { idOf, item, domain }: Context): RoleRow {
  const maybe = (address: RawAddress | undefined): AccountId | null => (address ? idOf(address) : null)
  switch (found.kind) {
    case 'jetton_master':
      return row('jetton_masters', {
        ...key,
        admin_id: maybe(found.admin),
        mintable: found.mintable,
        total_supply: String(found.totalSupply),
        content: contentAttributes(found.content),
        wallet_code_hash: found.walletCodeHash,
        airdrop_root: found.airdropRoot ?? null,
      })
    case 'jetton_wallet':
      return row('jetton_wallets', {
        ...key,
        owner_id: idOf(found.owner),
        jetton_id: idOf(found.jetton),
        is_claimed: found.isClaimed ?? null,
        balance: String(found.balance),
      })
    case 'nft_collection':
      return row('nft_collections', {
        ...key,
        owner_id: maybe(found.owner),
        next_item_index: String(found.nextItemIndex),
        content: contentAttributes(found.content),
      })
    case 'nft_item':
      return row('nft_items', {
        ...key,
        collection_id: maybe(found.collection),
        owner_id: maybe(found.owner),
        real_owner_id: maybe(found.owner),
        init: found.init,
        item_index: String(found.index),
        // Clients look for the domain there.
        content: { ...contentAttributes(found.content), ...(domain !== undefined && { domain }) },
      })
    case 'dns_item':
      return dnsRow(found, key, { owner: maybe(item?.owner), maybe })
    case 'multisig':
      return row('multisig_wallets', {
        ...key,
        threshold: found.threshold,
        next_order_seqno: String(found.nextOrderSeqno),
        signers: found.signers.map(idOf),
        proposers: found.proposers.map(idOf),
      })
    case 'multisig_order':
      return orderRow(found, key, idOf)
    case 'vesting':
      return row('vesting_contracts', {
        ...key,
        sender_id: idOf(found.sender),
        owner_id: idOf(found.owner),
        start_time: BigInt(found.startTime),
        total_duration: BigInt(found.totalDuration),
        unlock_period: BigInt(found.unlockPeriod),
        cliff_duration: BigInt(found.cliffDuration),
        total_amount: String(found.totalAmount),
        whitelist: found.whitelist.map(idOf),
      })
    default:
      return tradeRow(found, key, idOf)
  }
}

function dnsRow(
  found: DnsItem,
  key: RoleKey,
  { owner, maybe }: { owner: AccountId | null; maybe: (address: RawAddress | undefined) => AccountId | null },
): RoleRow {
  return row('dns_entries', {
    ...key,
    owner_id: owner,
    next_resolver_id: maybe(found.records?.nextResolver),
    wallet_id: maybe(found.records?.wallet),
    last_fill_up_time: found.lastFillUpTime === undefined ? null : BigInt(found.lastFillUpTime),
    domain: found.domain,
    site: found.records?.site ?? null,
    storage: found.records?.storage ?? null,
  })
}

const orderRow = (found: MultisigOrder, key: RoleKey, idOf: IdOf): RoleRow =>
  row('multisig_orders', {
    ...key,
    multisig_id: idOf(found.multisig),
    expiration_date: BigInt(found.expirationDate),
    threshold: found.threshold,
    approvals_num: found.approvalsNum,
    sent_for_execution: found.sentForExecution,
    order_seqno: String(found.orderSeqno),
    approvals_mask: String(found.approvalsMask),
    signers: found.signers.map(idOf),
    order_boc: serializeBoc(found.order),
  })

type TradeKind = 'nft_sale' | 'nft_auction' | 'telemint' | 'nominator_pool' | 'dedust_pool' | 'stonfi_pool'

function tradeRow(found: Extract<Detected, { kind: TradeKind }>, key: RoleKey, idOf: IdOf): RoleRow {
  const maybe = (address: RawAddress | undefined): AccountId | null => (address ? idOf(address) : null)
  switch (found.kind) {
    case 'nft_sale':
      return row('nft_sales', {
        ...key,
        nft_id: idOf(found.nft),
        nft_owner_id: maybe(found.nftOwner),
        marketplace_id: idOf(found.marketplace),
        fee_address_id: idOf(found.marketplaceFeeAddress),
        royalty_address_id: idOf(found.royaltyAddress),
        created_at: BigInt(found.createdAt),
        sold_at: found.soldAt === undefined ? null : BigInt(found.soldAt),
        is_complete: found.isComplete,
        is_factor: found.isFactor,
        full_price: String(found.fullPrice),
        marketplace_fee: String(found.marketplaceFee),
        royalty: String(found.royalty),
        jetton_prices: found.jettonPrices
          ? Object.fromEntries(
              [...found.jettonPrices].map(([hex, price]) => [`0:${hex.toUpperCase()}`, String(price)]),
            )
          : null,
      })
    case 'nft_auction':
      return row('nft_auctions', {
        ...key,
        nft_id: idOf(found.nft),
        nft_owner_id: maybe(found.nftOwner),
        marketplace_id: idOf(found.marketplace),
        last_member_id: maybe(found.lastMember),
        fee_address_id: idOf(found.marketplaceFeeAddress),
        royalty_address_id: idOf(found.royaltyAddress),
        end_time: BigInt(found.endTime),
        created_at: BigInt(found.createdAt),
        last_bid_at: BigInt(found.lastBidAt),
        end_flag: found.end,
        is_canceled: found.isCanceled,
        last_bid: String(found.lastBid),
        min_step: String(found.minStep),
        fee_factor: String(found.marketplaceFeeFactor),
        fee_base: String(found.marketplaceFeeBase),
        royalty_factor: String(found.royaltyFactor),
        royalty_base: String(found.royaltyBase),
        max_bid: String(found.maxBid),
        min_bid: String(found.minBid),
      })
    case 'telemint': {
      const { auction, config, royalty } = found
      const text = (value: bigint | undefined) => (value === undefined ? null : String(value))
      return row('telemint_items', {
        ...key,
        bidder_id: maybe(auction?.bidder),
        beneficiary_id: maybe(config.beneficiary),
        royalty_destination_id: idOf(royalty.destination),
        bid: text(auction?.bid),
        bid_at: text(auction?.bidAt),
        min_bid: text(auction?.minBid),
        end_time: text(auction?.endTime),
        initial_min_bid: String(config.initialMinBid),
        max_bid: String(config.maxBid),
        min_bid_step: String(config.minBidStep),
        min_extend_time: String(config.minExtendTime),
        duration: String(config.duration),
        royalty_numerator: String(royalty.numerator),
        royalty_denominator: String(royalty.denominator),
        token_name: found.tokenName,
      })
    }
    case 'nominator_pool':
      return row('nominator_pools', {
        ...key,
        validator_id: idOf(found.validator),
        state: found.state,
        nominators_count: found.nominatorsCount,
        validator_amount: String(found.validatorAmount),
        stake_amount_sent: String(found.stakeAmountSent),
        nominators: found.nominators.map((one) => ({
          address: formatRawAddress(one.address),
          amount: String(one.amount),
          pending_deposit: String(one.pendingDeposit),
          withdraw_requested: one.withdrawRequested,
        })),
      })
    case 'dedust_pool':
      return row('dex_pools', {
        ...key,
        asset_1_id: maybe(found.assets[0]),
        asset_2_id: maybe(found.assets[1]),
        router_id: null,
        dex: 'dedust',
        is_stable: found.isStable,
        reserve_1: String(found.reserves[0]),
        reserve_2: String(found.reserves[1]),
        fee: found.tradeFee,
      })
    case 'stonfi_pool':
      return row('dex_pools', {
        ...key,
        asset_1_id: idOf(found.tokens[0]),
        asset_2_id: idOf(found.tokens[1]),
        router_id: maybe(found.router),
        dex: found.version === 1 ? 'stonfi_v1' : 'stonfi_v2',
        is_stable: null,
        reserve_1: String(found.reserves[0]),
        reserve_2: String(found.reserves[1]),
        fee: Number(found.lpFee + found.protocolFee) / 10_000,
      })
  }
}
