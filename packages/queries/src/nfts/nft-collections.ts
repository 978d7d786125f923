import type { Db, NftCollectionRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  all,
  anyOf,
  EMPTY_PAGE,
  type KeysetOrder,
  type Page,
  type PageRequest,
  readKeyset,
} from '../idiom/index.ts'

export interface NftCollectionFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly ownerIds?: readonly AccountId[] | undefined
}

const ORDER: KeysetOrder<NftCollectionRow> = {
  name: 'nft-collection',
  sort: 'asc',
  columns: [sql`n.account_id`],
  position: (row) => [row.account_id],
}

/** Order: account. Index: primary key; (owner_id). */
export async function listNftCollections(
  db: Db,
  { ids, ownerIds }: NftCollectionFilter,
  page: PageRequest,
): Promise<Page<NftCollectionRow>> {
  const conditions = anyOf({ 'n.account_id': ids, 'n.owner_id': ownerIds })
  if (!conditions) return EMPTY_PAGE
  return readKeyset(page, ORDER, ({ after, orderBy, limit, offset }) =>
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
