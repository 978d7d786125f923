import type { VestingQuery } from '@shardwalk/api-schema'
import type { VestingContractRow } from '@shardwalk/db'
import { sql } from 'kysely'
import type { Page, RequestContext } from '../http/route.ts'
import { NOTHING_WITHOUT_METADATA } from './accounts-text.ts'
import { Listing } from './address-book-listing.ts'
import { idsOf } from './queries/accounts-events.ts'
import { type KeysetOrder, keysetPage } from './queries/accounts-keyset.ts'
import { all, type Condition } from './queries/sql.ts'

const ORDER: KeysetOrder<VestingContractRow> = {
  name: 'vesting',
  sort: 'asc',
  columns: [sql`v.account_id`],
  position: (row) => [row.account_id],
}

/** GET /vesting. */
export async function vestingContracts(context: RequestContext, query: VestingQuery): Promise<Page> {
  const [ids, wallets] = [
    await idsOf(context, query.contract_address),
    await idsOf(context, query.wallet_address),
  ]
  if (ids?.length === 0 || wallets?.length === 0) return NOTHING_WITHOUT_METADATA
  const conditions: Condition[] = []
  if (ids) conditions.push(sql`v.account_id = any (${ids}::int8[])`)
  if (wallets) {
    const whitelisted = query.check_whitelist ? sql` or v.whitelist && ${wallets}::int8[]` : sql``
    conditions.push(
      sql`(v.owner_id = any (${wallets}::int8[]) or v.sender_id = any (${wallets}::int8[])${whitelisted})`,
    )
  }
  return keysetPage(query, ORDER, {
    read: async ({ after, orderBy, limit, offset }) =>
      (
        await sql<VestingContractRow>`select * from vesting_contracts v where ${all([...conditions, after])}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(context.db)
      ).rows,
    render: async (rows) => {
      const listing = await new Listing(context)
        .list(...rows.flatMap((row) => [row.account_id, row.sender_id, row.owner_id, ...row.whitelist]))
        .load({ metadata: false })
      const items = rows.map((row) =>
        JSON.stringify({
          address: listing.text(row.account_id),
          start_time: Number(row.start_time),
          total_duration: Number(row.total_duration),
          unlock_period: Number(row.unlock_period),
          cliff_duration: Number(row.cliff_duration),
          sender_address: listing.text(row.sender_id),
          owner_address: listing.text(row.owner_id),
          total_amount: row.total_amount,
          whitelist: row.whitelist.map((id) => listing.text(id)),
        }),
      )
      return { items, fields: listing.fields({ metadata: false }) }
    },
  })
}
