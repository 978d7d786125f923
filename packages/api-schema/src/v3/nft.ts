import type * as z from 'zod'
import type { NftCollectionReply, NftItemReply, NftTransferReply } from './contract-replies.ts'
import type { NftCollectionView, NftItemView, NftTransferView } from './contract-rows.ts'
import {
  type AddressOf,
  addresses,
  decodedPayload,
  hashOrNull,
  payload,
  transactionOf,
} from './contract-text.ts'
import type { Json } from './text.ts'

/** `NFTCollection` of API v3. */
export const toNftCollectionReply = (row: NftCollectionView, addressOf: AddressOf): Json =>
  JSON.stringify(collectionObject(row, addressOf))

const collectionObject = (
  row: NftCollectionView,
  addressOf: AddressOf,
): z.input<typeof NftCollectionReply> => ({
  address: addressOf(row.account_id),
  owner_address: addresses(addressOf).textOrNull(row.owner_id),
  last_transaction_lt: String(row.lt),
  next_item_index: row.next_item_index,
  collection_content: row.content,
  data_hash: hashOrNull(row.data_hash),
  code_hash: hashOrNull(row.code_hash),
})

/** `NFTItem` of API v3. The domain of a DNS item is part of its content, where clients expect it. */
export function toNftItemReply(row: NftItemView, addressOf: AddressOf): Json {
  const { text, textOrNull } = addresses(addressOf)
  const seller = textOrNull(row.owner_id)
  const isSold = row.saleKind !== undefined
  return JSON.stringify({
    ...itemObject(row, addressOf),
    on_sale: isSold,
    ...(row.saleKind === 'sale' && seller !== null && { sale_contract_address: seller }),
    ...(row.saleKind === 'auction' && seller !== null && { auction_contract_address: seller }),
    ...(isSold &&
      row.real_owner_id !== null &&
      row.real_owner_id !== row.owner_id && { real_owner: text(row.real_owner_id) }),
  } satisfies z.input<typeof NftItemReply>)
}

/** An item without its sale, for use inside a sale. */
export function itemObject(row: NftItemView, addressOf: AddressOf) {
  const { text, textOrNull } = addresses(addressOf)
  return {
    address: text(row.account_id),
    init: row.init,
    index: row.item_index,
    collection_address: textOrNull(row.collection_id),
    owner_address: textOrNull(row.owner_id),
    content: row.content,
    last_transaction_lt: String(row.lt),
    code_hash: hashOrNull(row.code_hash),
    data_hash: hashOrNull(row.data_hash),
    collection: row.collection ? collectionObject(row.collection, addressOf) : null,
  }
}

/** `NFTTransfer` of API v3. */
export function toNftTransferReply(row: NftTransferView, addressOf: AddressOf): Json {
  const { text, textOrNull } = addresses(addressOf)
  return JSON.stringify({
    query_id: row.query_id,
    nft_address: text(row.account_id),
    nft_collection: textOrNull(row.collection_id),
    ...transactionOf(row),
    old_owner: text(row.old_owner_id),
    new_owner: textOrNull(row.new_owner_id),
    response_destination: textOrNull(row.response_id),
    custom_payload: payload(row.custom_payload),
    decoded_custom_payload: decodedPayload(row.custom_payload),
    forward_amount: row.forward_amount,
    forward_payload: payload(row.forward_payload),
    decoded_forward_payload: decodedPayload(row.forward_payload),
    trace_id: hashOrNull(row.trace_id),
  } satisfies z.input<typeof NftTransferReply>)
}
