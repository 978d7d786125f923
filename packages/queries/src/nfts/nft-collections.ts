import type { Db, NftCollectionRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import {
  all,
  anyOf,
  EMPTY_PAGE,
  orderOfRows,
  type Page,
  type RowPageRequest,
  readKeyset,
} from '../idiom/index.ts'

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
  const conditions = anyOf({ 'n.account_id': ids, 'n.owner_id': ownerIds })
  if (!conditions) return EMPTY_PAGE
  return readKeyset(
    page,
    orderOfRows<NftCollectionRow>('nft-collection', 'n', page.rowOrder),
    ({ after, orderBy, limit, offset }) =>
      db
        .selectFrom('nft_collections as n')
        .selectAll()
        .where(all([...conditions, after]))
        .orderBy(orderBy)
        .limit(limit)
        .offset(offset)
        .execute(),
  )
}
