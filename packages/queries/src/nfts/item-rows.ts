import type { Db, NftCollectionRow, NftItemRow as StoredItem } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { isAnyOf } from '../idiom/index.ts'

/** An item with its collection, and with the kind of the sale contract when the owner is one. */
export interface NftItemRow extends StoredItem {
  readonly collection: NftCollectionRow | undefined
  readonly saleKind: 'sale' | 'auction' | undefined
}

const BY_SALE = sql<boolean>`exists (
  select from nft_sales s where s.account_id = i.owner_id and s.nft_id = i.account_id)`
const BY_AUCTION = sql<boolean>`exists (
  select from nft_auctions a where a.account_id = i.owner_id and a.nft_id = i.account_id)`

export interface ItemSlice {
  readonly where: RawBuilder<boolean>
  readonly orderBy?: RawBuilder<unknown>
  readonly limit?: number
  readonly offset?: number
}

/**
 * `where`, `orderBy`: clauses on `nft_items i`. Index: depends on the clauses; primary keys of the other
 * tables.
 */
export async function readItems(db: Db, { where, orderBy, limit, offset }: ItemSlice): Promise<NftItemRow[]> {
  const rows = await db
    .selectFrom('nft_items as i')
    .selectAll('i')
    .select([BY_SALE.as('by_sale'), BY_AUCTION.as('by_auction')])
    .where(where)
    .$if(orderBy !== undefined, (query) => query.orderBy(orderBy!))
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .$if(offset !== undefined, (query) => query.offset(offset!))
    .execute()
  const collections = await collectionsById(db, rows)
  return rows.map(({ by_sale, by_auction, ...row }) => ({
    ...row,
    collection: row.collection_id === null ? undefined : collections.get(row.collection_id),
    saleKind: by_sale ? 'sale' : by_auction ? 'auction' : undefined,
  }))
}

async function collectionsById(db: Db, items: readonly StoredItem[]) {
  const ids = [...new Set(items.flatMap((item) => item.collection_id ?? []))]
  const rows =
    ids.length === 0
      ? []
      : await db.selectFrom('nft_collections').selectAll().where(isAnyOf('account_id', ids)).execute()
  return new Map(rows.map((row) => [row.account_id, row]))
}
