import { amountOfSaleFactor } from '@shardwalk/contracts'
import type { AccountId } from '@shardwalk/model'
import type { AuctionRow, FixedPriceRow, NftSaleView, TelemintRow } from './contract-rows.ts'
import { type AddressOf, addresses, hashOrNull } from './contract-text.ts'
import { itemObject } from './nft.ts'
import type { Json } from './text.ts'

/** `NFTSale` of API v3. Keys with unknown values are omitted. */
export function toNftSaleReply(sale: NftSaleView, addressOf: AddressOf): Json {
  const { row, item } = sale
  return JSON.stringify({
    type: sale.type,
    address: addressOf(row.account_id),
    ...whatIsSold(sale, addressOf),
    last_transaction_lt: String(row.lt),
    ...known({ code_hash: hashOrNull(row.code_hash), data_hash: hashOrNull(row.data_hash) }),
    details: known(detailsOf(sale, addressOf)),
    ...(item && { nft_item: { ...itemObject(item, addressOf), on_sale: false } }),
  })
}

function whatIsSold({ type, row, item }: NftSaleView, addressOf: AddressOf): object {
  const { text, textOrNull } = addresses(addressOf)
  // A Telegram item is its own sale contract.
  if (type === 'telemint')
    return {
      nft_address: text(row.account_id),
      ...known({ nft_owner_address: textOrNull(item?.owner_id ?? null) }),
    }
  return {
    nft_address: text(row.nft_id),
    ...known({ nft_owner_address: textOrNull(row.nft_owner_id) }),
    marketplace_address: text(row.marketplace_id),
    created_at: Number(row.created_at),
  }
}

/** Accounts that occur in the reply. */
export function accountsOfSale({ type, row, item }: NftSaleView): (AccountId | null | undefined)[] {
  const ofItem = [row.account_id, item?.account_id, item?.collection_id, item?.owner_id]
  if (type === 'telemint') return [...ofItem, row.bidder_id, row.beneficiary_id, row.royalty_destination_id]
  const ofSale = [
    row.nft_id,
    row.nft_owner_id,
    row.marketplace_id,
    row.fee_address_id,
    row.royalty_address_id,
  ]
  return [...ofItem, ...ofSale, ...(type === 'getgems_auction' ? [row.last_member_id] : [])]
}

type Details = Readonly<Record<string, unknown>>

const known = (values: Details): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

const numberOrNull = (value: string | bigint | null): number | null => (value === null ? null : Number(value))

function detailsOf({ type, row }: NftSaleView, addressOf: AddressOf): Details {
  if (type === 'getgems_sale') return fixedPriceDetails(row, addressOf)
  return type === 'getgems_auction' ? auctionDetails(row, addressOf) : telemintDetails(row, addressOf)
}

function fixedPriceDetails(row: FixedPriceRow, addressOf: AddressOf): Details {
  const amount = (value: string): string =>
    row.is_factor ? String(amountOfSaleFactor(BigInt(row.full_price), BigInt(value))) : value
  return {
    is_complete: row.is_complete,
    full_price: row.full_price,
    marketplace_fee_address: addressOf(row.fee_address_id),
    marketplace_fee: amount(row.marketplace_fee),
    royalty_address: addressOf(row.royalty_address_id),
    royalty_amount: amount(row.royalty),
  }
}

const auctionDetails = (row: AuctionRow, addressOf: AddressOf): Details => ({
  end_flag: row.end_flag,
  end_time: Number(row.end_time),
  last_bid: row.last_bid,
  last_member: addresses(addressOf).textOrNull(row.last_member_id),
  min_step: Number(row.min_step),
  mp_fee_address: addressOf(row.fee_address_id),
  mp_fee_factor: Number(row.fee_factor),
  mp_fee_base: Number(row.fee_base),
  royalty_fee_address: addressOf(row.royalty_address_id),
  royalty_fee_factor: Number(row.royalty_factor),
  royalty_fee_base: Number(row.royalty_base),
  max_bid: row.max_bid,
  min_bid: row.min_bid,
  last_bid_at: Number(row.last_bid_at),
  is_canceled: row.is_canceled,
})

function telemintDetails(row: TelemintRow, addressOf: AddressOf): Details {
  const { text, textOrNull } = addresses(addressOf)
  return {
    token_name: row.token_name,
    bidder_address: textOrNull(row.bidder_id),
    bid: row.bid,
    bid_ts: row.bid_at,
    min_bid: row.min_bid,
    end_time: numberOrNull(row.end_time),
    beneficiary_address: textOrNull(row.beneficiary_id),
    initial_min_bid: row.initial_min_bid,
    max_bid: row.max_bid,
    min_bid_step: row.min_bid_step,
    min_extend_time: row.min_extend_time,
    duration: row.duration,
    royalty_numerator: Number(row.royalty_numerator),
    royalty_denominator: Number(row.royalty_denominator),
    royalty_destination: text(row.royalty_destination_id),
  }
}
