import * as z from 'zod'
import { digits as decimal, address as rawAddress } from '../replies.ts'
import { address, bool, cell, digits, query, text } from './kinds.ts'

const item = { nft_item: address, nft_collection: address }

const nftTransfer = {
  ...item,
  nft_item_index: digits,
  old_owner: rawAddress.optional(),
  new_owner: address,
  is_purchase: bool,
  price: decimal.optional(),
  ...query,
  response_destination: address,
  custom_payload: cell,
  forward_payload: cell,
  forward_amount: digits,
  comment: text,
  is_encrypted_comment: bool,
  marketplace: text,
  real_old_owner: address,
  marketplace_address: address,
  payout_amount: digits,
  payout_address: address,
  payout_comment: text,
  payout_comment_encrypted: bool,
  payout_comment_encoded: bool,
  royalty_amount: digits,
  royalty_address: address,
}

const listed = {
  ...item,
  nft_item_index: digits,
  owner: address,
  listing_address: address,
  marketplace_address: address,
  marketplace_fee_address: address,
  royalty_address: address,
  marketplace: text,
}

const auction = z.strictObject({
  ...listed,
  auction_address: address,
  marketplace_fee_factor: digits,
  marketplace_fee_base: digits,
  royalty_fee_base: digits,
  max_bid: digits,
  min_bid: digits,
})

const ended = { owner: address, ...item, marketplace_address: address, marketplace: text }

const endedAuction = z.strictObject({ ...ended, auction_address: address })

/** NFTs, their sales and auctions. */
export const NFT_ACTION_DETAILS = {
  nft_mint: z.strictObject({ owner: rawAddress.optional(), ...item, nft_item_index: digits }),
  nft_transfer: z.strictObject(nftTransfer),
  nft_purchase: z.strictObject(nftTransfer),
  nft_discovery: z.strictObject({ source: address, ...item, nft_item_index: digits }),
  nft_put_on_sale: z.strictObject({
    ...listed,
    sale_address: address,
    full_price: digits,
    marketplace_fee: digits,
    royalty_amount: digits,
  }),
  nft_put_on_auction: auction,
  teleitem_start_auction: auction,
  teleitem_cancel_auction: endedAuction,
  nft_update_sale: z.strictObject({
    source: address,
    sale_contract: address,
    nft_address: address,
    marketplace_address: address,
    marketplace: text,
    full_price: digits,
    marketplace_fee: digits,
    royalty_amount: digits,
  }),
  nft_cancel_sale: z.strictObject({ ...ended, sale_address: address }),
  nft_cancel_auction: endedAuction,
  nft_finish_auction: endedAuction,
  auction_bid: z.strictObject({
    amount: digits,
    bidder: address,
    auction: address,
    ...item,
    nft_item_index: digits,
  }),
  auction_outbid: z.strictObject({
    auction_address: address,
    bidder: address,
    new_bidder: address,
    ...item,
    amount: digits,
    comment: z.string().optional(),
    marketplace: z.string().optional(),
  }),
  dns_purchase: z.strictObject({
    ...item,
    nft_item_index: digits,
    new_owner: address,
    price: digits,
    ...query,
    payout_amount: digits,
  }),
  dns_release: z.strictObject({ ...query, source: address, ...item, nft_item_index: digits, value: digits }),
} as const
