import type { Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  all,
  anyOf,
  EMPTY_PAGE,
  type KeysetColumn,
  type KeysetOrder,
  orderOfRows,
  type Page,
  type RowPageRequest,
  readKeyset,
} from '../idiom/index.ts'
import { type NftItemRow, readItems } from './item-rows.ts'

/** Items that match all that is given. */
export interface NftItemFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly ownerIds?: readonly AccountId[] | undefined
  readonly collectionIds?: readonly AccountId[] | undefined
  /** Decimal texts. */
  readonly indexes?: readonly string[] | undefined
  /** An item that a sale or auction holds counts as its seller's. */
  readonly includesOnSale?: boolean | undefined
}

/** A page and its order; see `listNftItems`. */
export interface NftItemPage extends RowPageRequest {
  /** Newest first. */
  readonly byLt?: boolean | undefined
}

/**
 * Order: lt descending when `byLt` is set; index within a single collection; owner, collection, index when
 * owners are given; otherwise account or row_no. Index: (lt), (collection_id, item_index), (owner_id or
 * real_owner_id, collection_id, item_index), primary key.
 */
export async function listNftItems(
  db: Db,
  filter: NftItemFilter,
  page: NftItemPage,
): Promise<Page<NftItemRow>> {
  const conditions = anyOf({
    'i.account_id': filter.ids,
    [filter.includesOnSale ? 'i.real_owner_id' : 'i.owner_id']: filter.ownerIds,
    'i.collection_id': filter.collectionIds,
  })
  if (!conditions) return EMPTY_PAGE
  if (filter.indexes) conditions.push(sql<boolean>`i.item_index = any (${filter.indexes}::numeric[])`)
  return readKeyset(page, orderOf(filter, page), ({ after, ...slice }) =>
    readItems(db, { where: all([...conditions, after]), ...slice }),
  )
}

/** Stands for "no collection" in the order: after every id of 8 bytes. */
const AFTER_ALL = 9223372036854775808n
const COLLECTION: KeysetColumn = [
  sql`coalesce(i.collection_id::numeric, 9223372036854775808)`,
  'numeric',
  sql`i.collection_id`,
]
const INDEX: KeysetColumn = [sql`i.item_index`, 'numeric']
const ACCOUNT: KeysetColumn = [sql`i.account_id`, 'int8']

function orderOf(filter: NftItemFilter, { byLt, rowOrder }: NftItemPage): KeysetOrder<NftItemRow> {
  if (byLt)
    return {
      name: 'nft-item-lt',
      sort: 'desc',
      columns: [[sql`i.lt`, 'int8'], ACCOUNT],
      position: (row) => [row.lt, row.account_id],
    }
  if (filter.collectionIds?.length === 1)
    return {
      name: 'nft-item-index',
      sort: 'asc',
      columns: [INDEX, ACCOUNT],
      position: (row) => [row.item_index, row.account_id],
    }
  if (filter.ownerIds) return orderByOwner(filter.includesOnSale === true)
  return orderOfRows('nft-item', 'i', rowOrder)
}

function orderByOwner(real: boolean): KeysetOrder<NftItemRow> {
  const owner = real ? 'real_owner_id' : 'owner_id'
  return {
    name: `nft-item-${real ? 'real-' : ''}owner`,
    sort: 'asc',
    columns: [[sql.ref(`i.${owner}`), 'int8'], COLLECTION, INDEX, ACCOUNT],
    // No owner is null, because the list is of owners.
    position: (row) => [row[owner]!, row.collection_id ?? AFTER_ALL, row.item_index, row.account_id],
  }
}
