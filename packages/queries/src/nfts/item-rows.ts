import type { Db, NftCollectionRow, NftItemRow as StoredItem } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { expectLight, isAnyOf } from '../idiom/index.ts'

/** An item with its collection, and with the kind of the sale contract when the owner is one. */
export interface NftItemRow extends StoredItem {
  readonly collection: NftCollectionRow | undefined
  readonly saleKind: 'sale' | 'auction' | undefined
}

const BY_SALE = sql<boolean>`exists (
  select from nft_sales s where s.account_id = i.owner_id and s.nft_id = i.account_id)`
const BY_AUCTION = sql<boolean>`exists (
  select from nft_auctions a where a.account_id = i.owner_id and a.nft_id = i.account_id)`

/** Clauses on `nft_items i`. */
export interface ItemSlice {
  readonly where: RawBuilder<boolean>
  readonly orderBy?: RawBuilder<unknown>
  readonly limit: number
  readonly offset?: number
}

/**
 * `where`, `orderBy`: clauses on `nft_items i`. Index: depends on the clauses; primary keys of the other
 * tables. Throws `PageTooLarge`.
 */
export async function readItems(db: Db, { where, orderBy, limit, offset }: ItemSlice): Promise<NftItemRow[]> {
  const found = db
    .selectFrom('nft_items as i')
    .where(where)
    .limit(limit)
    .$if(orderBy !== undefined, (query) => query.orderBy(orderBy!))
    .$if(offset !== undefined, (query) => query.offset(offset!))
  await expectLight(db, limit, sql`${found.select('i.content')}`)
  const rows = await found
    .selectAll('i')
    .select([BY_SALE.as('by_sale'), BY_AUCTION.as('by_auction')])
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
  if (ids.length === 0) return new Map<AccountId, NftCollectionRow>()
  const found = db.selectFrom('nft_collections').where(isAnyOf('account_id', ids))
  await expectLight(db, ids.length, sql`${found.select('content')}`)
  const rows = await found.selectAll().execute()
  return new Map(rows.map((row) => [row.account_id, row]))
}
