import type { Db, VestingContractRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  anyOf,
  EMPTY_PAGE,
  orderOfRows,
  type Page,
  type RowPageRequest,
  readContractRows,
} from '../idiom/index.ts'

/** Contracts that match all that is given; `undefined` matches any. */
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
  const conditions = anyOf({ 'm.account_id': ids })
  if (!conditions || partyIds?.length === 0) return EMPTY_PAGE
  if (partyIds) {
    const whitelisted = includesWhitelisted ? sql` or m.whitelist && ${partyIds}::int8[]` : sql``
    conditions.push(
      sql<boolean>`(m.owner_id = any (${partyIds}::int8[])
        or m.sender_id = any (${partyIds}::int8[])${whitelisted})`,
    )
  }
  const order = orderOfRows<VestingContractRow>('vesting', 'm', page.rowOrder)
  return readContractRows(db, { table: 'vesting_contracts', conditions, order }, page)
}
