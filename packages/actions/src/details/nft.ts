import { decodePayloadComment } from '../payload-comment.ts'
import type { ActionRow } from '../row.ts'
import { amount, type Details, orNull, present, type Render, type RenderContext } from './render.ts'

const item = (row: ActionRow): Details => ({
  nft_item: orNull(row.asset_secondary),
  nft_collection: orNull(row.asset),
})

/** The marketplace's own name, or, when its address is not known, that of the collection. */
function marketplaceName(row: ActionRow, { nameOf }: RenderContext): string | null {
  const address = row.nft_transfer_data?.marketplace_address
  if (address) return nameOf(address) ?? null
  return row.asset ? (nameOf(row.asset) ?? null) : null
}

const transferred = (row: ActionRow, context: RenderContext): Details => {
  const data = row.nft_transfer_data
  const comment = decodePayloadComment(data?.forward_payload)
  return {
    nft_collection: orNull(row.asset),
    nft_item: orNull(row.asset_secondary),
    nft_item_index: amount(data?.nft_item_index),
    ...present({ old_owner: orNull(row.source) }),
    new_owner: orNull(row.destination),
    is_purchase: orNull(data?.is_purchase),
    ...present({ price: amount(data?.price) }),
    query_id: amount(data?.query_id),
    response_destination: orNull(data?.response_destination),
    custom_payload: orNull(data?.custom_payload),
    forward_payload: orNull(data?.forward_payload),
    forward_amount: amount(data?.forward_amount),
    comment: comment.text,
    is_encrypted_comment: comment.encrypted,
    marketplace: data?.is_purchase ? marketplaceName(row, context) : null,
    real_old_owner: orNull(data?.real_prev_owner),
    marketplace_address: orNull(data?.marketplace_address),
    payout_amount: amount(data?.payout_amount),
    payout_address: orNull(row.nft_listing_data?.marketplace_fee_address),
    payout_comment: orNull(data?.payout_comment),
    payout_comment_encrypted: orNull(data?.payout_comment_encrypted),
    payout_comment_encoded: orNull(data?.payout_comment_encoded),
    royalty_amount: amount(data?.royalty_amount),
    royalty_address: orNull(row.nft_listing_data?.royalty_address),
  }
}

const purchase: Render = (row, context) => ({
  ...transferred(row, context),
  payout_address: orNull(row.nft_transfer_data?.real_prev_owner),
  royalty_amount: null,
  royalty_address: null,
})

const putOnSale: Render = (row, context) => ({
  nft_collection: orNull(row.asset),
  nft_item: orNull(row.asset_secondary),
  nft_item_index: amount(row.nft_listing_data?.nft_item_index),
  owner: orNull(row.source),
  listing_address: orNull(row.source_secondary),
  sale_address: orNull(row.destination),
  marketplace_address: orNull(row.nft_transfer_data?.marketplace_address),
  full_price: amount(row.nft_listing_data?.full_price),
  marketplace_fee: amount(row.nft_listing_data?.marketplace_fee),
  royalty_amount: amount(row.nft_listing_data?.royalty_amount),
  marketplace_fee_address: orNull(row.nft_listing_data?.marketplace_fee_address),
  royalty_address: orNull(row.nft_listing_data?.royalty_address),
  marketplace: marketplaceName(row, context),
})

const putOnAuction: Render = (row, context) => ({
  nft_collection: orNull(row.asset),
  nft_item: orNull(row.asset_secondary),
  nft_item_index: amount(row.nft_listing_data?.nft_item_index),
  owner: orNull(row.source),
  listing_address: orNull(row.source_secondary),
  auction_address: orNull(row.destination),
  marketplace_address: orNull(row.nft_transfer_data?.marketplace_address),
  marketplace_fee_factor: amount(row.nft_listing_data?.mp_fee_factor),
  marketplace_fee_base: amount(row.nft_listing_data?.mp_fee_base),
  royalty_fee_base: amount(row.nft_listing_data?.royalty_fee_base),
  max_bid: amount(row.nft_listing_data?.max_bid),
  min_bid: amount(row.nft_listing_data?.min_bid),
  marketplace_fee_address: orNull(row.nft_listing_data?.marketplace_fee_address),
  royalty_address: orNull(row.nft_listing_data?.royalty_address),
  marketplace: marketplaceName(row, context),
})

const ended =
  (key: 'sale_address' | 'auction_address'): Render =>
  (row, context) => ({
    owner: orNull(row.source),
    ...item(row),
    [key]: orNull(row.destination),
    marketplace_address: orNull(row.nft_transfer_data?.marketplace_address),
    marketplace: marketplaceName(row, context),
  })

const updateSale: Render = (row, context) => ({
  source: orNull(row.source),
  sale_contract: orNull(row.destination),
  nft_address: orNull(row.asset_secondary),
  marketplace_address: orNull(row.nft_transfer_data?.marketplace_address),
  marketplace: marketplaceName(row, context),
  full_price: amount(row.nft_listing_data?.full_price),
  marketplace_fee: amount(row.nft_listing_data?.marketplace_fee),
  royalty_amount: amount(row.nft_listing_data?.royalty_amount),
})

const outbid: Render = (row, context) => ({
  auction_address: orNull(row.source),
  bidder: orNull(row.destination),
  new_bidder: orNull(row.source_secondary),
  ...item(row),
  amount: amount(row.amount),
  ...present({
    comment: orNull(row.ton_transfer_data?.content),
    marketplace: marketplaceName(row, context),
  }),
})

export const NFT_DETAILS: Readonly<Record<string, Render>> = {
  nft_mint: (row) => ({
    ...present({ owner: orNull(row.source) }),
    ...item(row),
    nft_item_index: amount(row.nft_mint_data?.nft_item_index),
  }),
  nft_transfer: transferred,
  nft_purchase: purchase,
  nft_discovery: (row) => ({
    source: orNull(row.source),
    ...item(row),
    nft_item_index: amount(row.nft_transfer_data?.nft_item_index),
  }),
  nft_put_on_sale: putOnSale,
  nft_put_on_auction: putOnAuction,
  teleitem_start_auction: putOnAuction,
  teleitem_cancel_auction: ended('auction_address'),
  nft_update_sale: updateSale,
  nft_cancel_sale: ended('sale_address'),
  nft_cancel_auction: ended('auction_address'),
  nft_finish_auction: ended('auction_address'),
  auction_bid: (row) => ({
    amount: amount(row.value),
    bidder: orNull(row.source),
    auction: orNull(row.destination),
    ...item(row),
    nft_item_index: amount(row.nft_transfer_data?.nft_item_index),
  }),
  auction_outbid: outbid,
  dns_purchase: (row) => ({
    nft_collection: orNull(row.asset),
    nft_item: orNull(row.asset_secondary),
    nft_item_index: amount(row.nft_transfer_data?.nft_item_index),
    new_owner: orNull(row.destination),
    price: amount(row.nft_transfer_data?.price),
    query_id: amount(row.nft_transfer_data?.query_id),
    payout_amount: amount(row.nft_transfer_data?.payout_amount),
  }),
  dns_release: (row) => ({
    query_id: amount(row.nft_transfer_data?.query_id),
    source: orNull(row.source),
    nft_item: orNull(row.destination),
    nft_collection: orNull(row.asset),
    nft_item_index: amount(row.nft_transfer_data?.nft_item_index),
    value: amount(row.value),
  }),
}
