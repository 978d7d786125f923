import type { DnsRecordsQuery } from '@shardwalk/api-schema'
import type { DnsEntryRow } from '@shardwalk/db'
import { sql } from 'kysely'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import type { Page, RequestContext } from '../http/route.ts'
import { NOTHING_WITHOUT_METADATA, textOrNull } from './accounts-text.ts'
import { Listing } from './address-book-listing.ts'
import type { Condition } from './queries/sql.ts'

const ORDER = 'dns'

/** GET /dns/records. A cursor names the last row: names are too long to travel in it. */
export async function dnsRecords(context: RequestContext, query: DnsRecordsQuery): Promise<Page> {
  const { db } = context
  const wallet = query.wallet && (await context.accounts.idOf(db, query.wallet))
  if (query.wallet && wallet === undefined) return NOTHING_WITHOUT_METADATA
  const matches: Condition =
    query.domain === undefined ? sql`d.wallet_id = ${wallet}` : sql`d.domain = ${query.domain}`
  const last = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ORDER, 1)[0]
  const after: Condition =
    last === undefined
      ? sql`true`
      : sql`(length(d.domain), d.domain, d.account_id) >
          (select length(l.domain), l.domain, l.account_id from dns_entries l where l.account_id = ${BigInt.asIntN(64, last)})`
  const { rows } = await sql<DnsEntryRow>`
    select * from dns_entries d where ${matches} and ${after}
    order by length(d.domain), d.domain, d.account_id limit ${query.limit + 1} offset ${query.offset}`.execute(
    db,
  )
  const page = rows.slice(0, query.limit)
  const listing = await new Listing(context)
    .list(...page.flatMap((row) => [row.account_id, row.owner_id, row.wallet_id]))
    .print(...page.map((row) => row.next_resolver_id))
    .load({ metadata: false })
  const items = page.map((row) =>
    JSON.stringify({
      nft_item_address: listing.text(row.account_id),
      nft_item_owner: listing.maybe(row.owner_id),
      domain: row.domain,
      dns_next_resolver: listing.maybe(row.next_resolver_id),
      dns_wallet: listing.maybe(row.wallet_id),
      dns_site_adnl: textOrNull(row.site),
      dns_storage_bag_id: textOrNull(row.storage),
    }),
  )
  const end = page.at(-1)
  const result = { items, fields: listing.fields({ metadata: false }) }
  return rows.length > query.limit && end
    ? { ...result, next: encodeCursor(ORDER, [end.account_id]) }
    : result
}
