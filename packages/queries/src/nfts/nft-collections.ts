import type { Db, NftCollectionRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import {
  anyOf,
  EMPTY_PAGE,
  orderOfRows,
  type Page,
  type RowPageRequest,
  readContractRows,
} from '../idiom/index.ts'

/** Collections that match all that is given; `undefined` matches any. */
export interface NftCollectionFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly ownerIds?: readonly AccountId[] | undefined
}

/** Order: account, or row_no. Index: primary key; (row_no); (owner_id). */
export async function listNftCollections(
  db: Db,
  { ids, ownerIds }: NftCollectionFilter,
  page: RowPageRequest,
): Promise<Page<NftCollectionRow>> {
  const conditions = anyOf({ 'm.account_id': ids, 'm.owner_id': ownerIds })
  if (!conditions) return EMPTY_PAGE
  const order = orderOfRows<NftCollectionRow>('nft-collection', 'm', page.rowOrder)
  return readContractRows(db, { table: 'nft_collections', conditions, order }, page)
}
