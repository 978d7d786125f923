import { type RoleWriters, roleRow } from './role-row.ts'

/** Rows of contracts that sell items, and of Telegram items. */
export const SALE_ROWS: RoleWriters<'nft_sale' | 'nft_auction' | 'telemint'> = {
  nft_sale: (found, { key, idOf, maybeId }) =>
    roleRow('nft_sales', {
      ...key,
      nft_id: idOf(found.nft),
      nft_owner_id: maybeId(found.nftOwner),
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
      jetton_prices: found.jettonPrices ? pricesByAddress(found.jettonPrices) : null,
    }),
  nft_auction: (found, { key, idOf, maybeId }) =>
    roleRow('nft_auctions', {
      ...key,
      nft_id: idOf(found.nft),
      nft_owner_id: maybeId(found.nftOwner),
      marketplace_id: idOf(found.marketplace),
      last_member_id: maybeId(found.lastMember),
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
    }),
  telemint: ({ auction, config, royalty, tokenName }, { key, idOf, maybeId }) =>
    roleRow('telemint_items', {
      ...key,
      bidder_id: maybeId(auction?.bidder),
      beneficiary_id: maybeId(config.beneficiary),
      royalty_destination_id: idOf(royalty.destination),
      bid: digitsOrNull(auction?.bid),
      bid_at: digitsOrNull(auction?.bidAt),
      min_bid: digitsOrNull(auction?.minBid),
      end_time: digitsOrNull(auction?.endTime),
      initial_min_bid: String(config.initialMinBid),
      max_bid: String(config.maxBid),
      min_bid_step: String(config.minBidStep),
      min_extend_time: String(config.minExtendTime),
      duration: String(config.duration),
      royalty_numerator: String(royalty.numerator),
      royalty_denominator: String(royalty.denominator),
      token_name: tokenName,
    }),
}

/** Keys are account hashes in hexadecimal; all jetton masters are in the basechain. */
const pricesByAddress = (prices: ReadonlyMap<string, bigint>) =>
  Object.fromEntries([...prices].map(([hex, price]) => [`0:${hex.toUpperCase()}`, String(price)]))

const digitsOrNull = (value: bigint | undefined) => (value === undefined ? null : String(value))
