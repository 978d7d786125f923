import type { Db, VestingContractRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  all,
  anyOf,
  EMPTY_PAGE,
  orderOfRows,
  type Page,
  type RowPageRequest,
  readKeyset,
} from '../idiom/index.ts'

export interface VestingFilter {
  readonly ids?: readonly AccountId[] | undefined
  /** Owners or senders. */
  readonly partyIds?: readonly AccountId[] | undefined
  /** Also match contracts whose whitelist has one of the parties. */
  readonly includesWhitelisted?: boolean | undefined
}

/** Order: account, or row_no. Index: primary key; (row_no); (owner_id), (sender_id), GIN (whitelist). */
export async function listVestingContracts(
  db: Db,
  { ids, partyIds, includesWhitelisted }: VestingFilter,
  page: RowPageRequest,
): Promise<Page<VestingContractRow>> {
  const conditions = anyOf({ 'v.account_id': ids })
  if (!conditions || partyIds?.length === 0) return EMPTY_PAGE
  if (partyIds) {
    const whitelisted = includesWhitelisted ? sql` or v.whitelist && ${partyIds}::int8[]` : sql``
    conditions.push(
      sql<boolean>`(v.owner_id = any (${partyIds}::int8[])
        or v.sender_id = any (${partyIds}::int8[])${whitelisted})`,
    )
  }
  return readKeyset(
    page,
    orderOfRows<VestingContractRow>('vesting', 'v', page.rowOrder),
    ({ after, orderBy, limit, offset }) =>
      db
        .selectFrom('vesting_contracts as v')
        .selectAll()
        .where(all([...conditions, after]))
        .orderBy(orderBy)
        .limit(limit)
        .offset(offset)
        .execute(),
  )
}
