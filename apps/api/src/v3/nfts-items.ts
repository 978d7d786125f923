import type { Db, NftCollectionRow, NftItemRow } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { textOrNull } from './accounts-text.ts'
import type { Listing } from './address-book-listing.ts'

/** An item with its collection, and the contract that sells it when its owner does. */
export interface ItemView extends NftItemRow {
  readonly collection: NftCollectionRow | undefined
  readonly saleKind: 'sale' | 'auction' | undefined
}

/** `rest`: conditions, order and limits over `nft_items i`. Index: whatever they name; primary keys of the others. */
export async function loadItems(db: Db, rest: RawBuilder<unknown>): Promise<ItemView[]> {
  const { rows } = await sql<NftItemRow & { sale_kind: ItemView['saleKind'] | null }>`
    select i.*, case
      when exists (select from nft_sales s where s.account_id = i.owner_id and s.nft_id = i.account_id) then 'sale'
      when exists (select from nft_auctions a where a.account_id = i.owner_id and a.nft_id = i.account_id) then 'auction'
      end as sale_kind
    from nft_items i ${rest}`.execute(db)
  const ids = [...new Set(rows.flatMap((row) => row.collection_id ?? []))]
  const collections = await sql<NftCollectionRow>`
    select * from nft_collections where account_id = any (${ids}::int8[])`.execute(db)
  const byId = new Map(collections.rows.map((row) => [row.account_id, row]))
  return rows.map((row) => ({
    ...row,
    collection: row.collection_id === null ? undefined : byId.get(row.collection_id),
    saleKind: row.sale_kind ?? undefined,
  }))
}

export const collectionReply = (row: NftCollectionRow, listing: Listing) => ({
  address: listing.text(row.account_id),
  owner_address: listing.maybe(row.owner_id),
  last_transaction_lt: String(row.lt),
  next_item_index: row.next_item_index,
  collection_content: row.content,
  data_hash: textOrNull(row.data_hash),
  code_hash: textOrNull(row.code_hash),
})

/** An item's domain stands in its content, as clients know it. */
export const itemReply = (row: ItemView, listing: Listing) => ({
  ...plainItem(row, listing),
  on_sale: row.saleKind !== undefined,
  ...(row.saleKind === 'sale' && { sale_contract_address: listing.maybe(row.owner_id) }),
  ...(row.saleKind === 'auction' && { auction_contract_address: listing.maybe(row.owner_id) }),
  ...(row.saleKind !== undefined &&
    row.real_owner_id !== null &&
    row.real_owner_id !== row.owner_id && { real_owner: listing.text(row.real_owner_id) }),
})

/** As it stands beside a sale: the sale is told by the row around it. */
export const plainItem = (row: ItemView, listing: Listing) => ({
  address: listing.text(row.account_id),
  init: row.init,
  index: row.item_index,
  collection_address: listing.maybe(row.collection_id),
  owner_address: listing.maybe(row.owner_id),
  content: row.content,
  last_transaction_lt: String(row.lt),
  code_hash: textOrNull(row.code_hash),
  data_hash: textOrNull(row.data_hash),
  collection: row.collection ? collectionReply(row.collection, listing) : null,
})
