import { bodyFields } from '../decoding/body-fields.ts'

/** Items. Source: TEP-62. */
export const NFT_BODIES = {
  ownershipAssigned: bodyFields('nft_ownership_assigned', { prev_owner: 'address' }),
  /** Leaves the reader at the forward payload. */
  ownershipAssignedHead: bodyFields('nft_ownership_assigned', { query_id: 'bigint', prev_owner: 'address' }),
  reportStaticData: bodyFields('report_static_data', { index: 'bigint', collection: 'address' }),
} as const

/** Sales. Source: getgems-io/nft-contracts, packages/contracts/sources/nft-fixprice-sale-v3r3.fc. */
export const NFT_MARKET_BODIES = {
  changePrice: bodyFields('sale_update_message', {
    new_full_price: 'amount',
    new_mp_fee: 'amount',
    new_royalty_amount: 'amount',
  }),
} as const

/** Telegram user names and numbers. Source: TelegramMessenger/telemint, telemint.tlb. */
export const TELEITEM_BODIES = {
  startAuction: bodyFields('teleitem_msg_start_auction', {
    auction_config: { beneficiary_address: 'address', initial_min_bid: 'amount', max_bid: 'amount' },
  }),
  bidInfo: bodyFields('teleitem_bid_info', { bid: 'amount' }),
  fillUp: bodyFields('auction_fill_up', { query_id: 'bigint' }),
} as const

/** TON DNS. Source: TEP-81; ton-blockchain/dns-contract, func/nft-item.fc. */
export const DNS_BODIES = {
  /** Without a value the record is deleted, or the domain prolonged. */
  changeRecord: bodyFields('change_dns_record', {
    key: 'hash',
    value: (slice) => (slice.remainingRefs > 0 ? slice.loadRefSlice() : undefined),
  }),
  balanceRelease: bodyFields('dns_balance_release', { query_id: 'bigint' }),
} as const
