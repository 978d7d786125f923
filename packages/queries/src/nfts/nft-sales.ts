import type { Db, NftAuctionRow, NftSaleRow, TelemintItemRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { isAnyOf } from '../idiom/index.ts'
import { type NftItemRow, readItems } from './item-rows.ts'

/** A contract that sells an item, and that item; Telegram items sell themselves. */
export type NftSale = { readonly item: NftItemRow | undefined } & (
  | { readonly type: 'getgems_sale'; readonly row: NftSaleRow }
  | { readonly type: 'getgems_auction'; readonly row: NftAuctionRow }
  | { readonly type: 'telemint'; readonly row: TelemintItemRow }
)

/**
 * Sales, auctions and Telegram items for sale among the accounts, each kind ordered by account. Index:
 * primary keys.
 */
export async function salesOfAccounts(db: Db, ids: readonly AccountId[]): Promise<NftSale[]> {
  if (ids.length === 0) return []
  const ofAccounts = isAnyOf('account_id', ids)
  const [sales, auctions, telemint] = await Promise.all([
    db.selectFrom('nft_sales').selectAll().where(ofAccounts).orderBy('account_id').execute(),
    db.selectFrom('nft_auctions').selectAll().where(ofAccounts).orderBy('account_id').execute(),
    db.selectFrom('telemint_items').selectAll().where(ofAccounts).orderBy('account_id').execute(),
  ])
  const sold = [...sales, ...auctions].map((row) => row.nft_id)
  const itemIds = [...sold, ...telemint.map((row) => row.account_id)]
  const items = await readItems(db, { where: isAnyOf('i.account_id', itemIds), limit: itemIds.length })
  const byId = new Map(items.map((item) => [item.account_id, item]))
  return [
    ...sales.map((row) => ({ type: 'getgems_sale' as const, row, item: byId.get(row.nft_id) })),
    ...auctions.map((row) => ({ type: 'getgems_auction' as const, row, item: byId.get(row.nft_id) })),
    ...telemint.map((row) => ({ type: 'telemint' as const, row, item: byId.get(row.account_id) })),
  ]
}
