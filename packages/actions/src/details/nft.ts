import { decodePayloadComment } from '../payload-comment.ts'
import type { ActionRow } from '../row.ts'
import { columns, type Fields, from, type RenderContext, type Shape } from './render.ts'

const ITEM: Fields = { nft_item: 'asset_secondary', nft_collection: 'asset' }
const ITEM_INDEX = from('nft_transfer_data', 'nft_item_index')
const MARKETPLACE = from('nft_transfer_data', 'marketplace_address')

/** The marketplace's own name, or, when its address is not known, that of the collection. */
function marketplace(row: ActionRow, { nameOf }: RenderContext): string | null {
  const address = row.nft_transfer_data?.marketplace_address
  if (address) return nameOf(address) ?? null
  return row.asset ? (nameOf(row.asset) ?? null) : null
}

const TRANSFER: Fields = {
  nft_collection: 'asset',
  nft_item: 'asset_secondary',
  ...ITEM_INDEX,
  'old_owner?': 'source',
  new_owner: 'destination',
  ...from('nft_transfer_data', 'is_purchase'),
  'price?': 'nft_transfer_data.price',
  ...from('nft_transfer_data', 'query_id', 'response_destination', 'custom_payload', 'forward_payload'),
  ...from('nft_transfer_data', 'forward_amount'),
  comment: (row) => decodePayloadComment(row.nft_transfer_data?.forward_payload).text,
  is_encrypted_comment: (row) => decodePayloadComment(row.nft_transfer_data?.forward_payload).encrypted,
  marketplace: (row, context) => (row.nft_transfer_data?.is_purchase ? marketplace(row, context) : null),
  real_old_owner: 'nft_transfer_data.real_prev_owner',
  ...MARKETPLACE,
  ...from('nft_transfer_data', 'payout_amount'),
  payout_address: 'nft_listing_data.marketplace_fee_address',
  ...from('nft_transfer_data', 'payout_comment', 'payout_comment_encrypted', 'payout_comment_encoded'),
  ...from('nft_transfer_data', 'royalty_amount'),
  ...from('nft_listing_data', 'royalty_address'),
}

const LISTING: Fields = {
  nft_collection: 'asset',
  nft_item: 'asset_secondary',
  ...from('nft_listing_data', 'nft_item_index'),
  owner: 'source',
  listing_address: 'source_secondary',
}

const AUCTION: Fields = {
  ...LISTING,
  auction_address: 'destination',
  ...MARKETPLACE,
  marketplace_fee_factor: 'nft_listing_data.mp_fee_factor',
  marketplace_fee_base: 'nft_listing_data.mp_fee_base',
  ...from('nft_listing_data', 'royalty_fee_base', 'max_bid', 'min_bid', 'marketplace_fee_address'),
  ...from('nft_listing_data', 'royalty_address'),
  marketplace,
}

const ended = (place: 'sale_address' | 'auction_address'): Fields => ({
  owner: 'source',
  ...ITEM,
  [place]: 'destination',
  ...MARKETPLACE,
  marketplace,
})

/** `details` of NFTs and their sales, by type of action. */
export const NFT_DETAILS: Readonly<Record<string, Shape>> = {
  nft_mint: { 'owner?': 'source', ...ITEM, ...from('nft_mint_data', 'nft_item_index') },
  nft_transfer: TRANSFER,
  nft_purchase: {
    ...TRANSFER,
    payout_address: 'nft_transfer_data.real_prev_owner',
    royalty_amount: null,
    royalty_address: null,
  },
  nft_discovery: { source: 'source', ...ITEM, ...ITEM_INDEX },
  nft_put_on_sale: {
    ...LISTING,
    sale_address: 'destination',
    ...MARKETPLACE,
    ...from('nft_listing_data', 'full_price', 'marketplace_fee', 'royalty_amount'),
    ...from('nft_listing_data', 'marketplace_fee_address', 'royalty_address'),
    marketplace,
  },
  nft_put_on_auction: AUCTION,
  teleitem_start_auction: AUCTION,
  teleitem_cancel_auction: ended('auction_address'),
  nft_update_sale: {
    source: 'source',
    sale_contract: 'destination',
    nft_address: 'asset_secondary',
    ...MARKETPLACE,
    marketplace,
    ...from('nft_listing_data', 'full_price', 'marketplace_fee', 'royalty_amount'),
  },
  nft_cancel_sale: ended('sale_address'),
  nft_cancel_auction: ended('auction_address'),
  nft_finish_auction: ended('auction_address'),
  auction_bid: { amount: 'value', bidder: 'source', auction: 'destination', ...ITEM, ...ITEM_INDEX },
  auction_outbid: {
    auction_address: 'source',
    bidder: 'destination',
    new_bidder: 'source_secondary',
    ...ITEM,
    ...columns('amount'),
    'comment?': 'ton_transfer_data.content',
    'marketplace?': marketplace,
  },
  dns_purchase: {
    nft_collection: 'asset',
    nft_item: 'asset_secondary',
    ...ITEM_INDEX,
    new_owner: 'destination',
    ...from('nft_transfer_data', 'price', 'query_id', 'payout_amount'),
  },
  dns_release: {
    ...from('nft_transfer_data', 'query_id'),
    source: 'source',
    nft_item: 'destination',
    nft_collection: 'asset',
    ...ITEM_INDEX,
    value: 'value',
  },
}
