import type { Db, DnsEntryRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { findIndexedEnds } from '../blocks/index.ts'
import { type KeysetOrder, type Page, type PageRequest, readContractRows } from '../idiom/index.ts'

/** Auctions of domains that an account leads, or has won without taking the domain. */
export interface DnsAuctionFilter {
  readonly bidderId: AccountId
  /** `won`: those that are over; `bidding`: those that are not. */
  readonly state: 'all' | 'won' | 'bidding'
}

/** A domain in an auction. */
export interface DnsAuctionRow extends DnsEntryRow {
  /** At the time of the newest indexed block. */
  readonly isOver: boolean
}

const ORDER: KeysetOrder<DnsEntryRow> = {
  name: 'dns-auction',
  sort: 'asc',
  columns: [
    [sql`m.auction_end_time`, 'int8'],
    [sql`m.account_id`, 'int8'],
  ],
  position: ({ auction_end_time, account_id }) => [auction_end_time!, account_id],
}

/** Order: end of the auction, account. Index: (bidder_id, auction_end_time). */
export async function listDnsAuctions(
  db: Db,
  { bidderId, state }: DnsAuctionFilter,
  page: PageRequest,
): Promise<Page<DnsAuctionRow>> {
  const now = (await findIndexedEnds(db))?.last.gen_utime ?? 0
  const conditions = [sql<boolean>`m.bidder_id = ${bidderId}`, sql<boolean>`m.auction_end_time is not null`]
  if (state === 'won') conditions.push(sql<boolean>`m.auction_end_time <= ${now}::int8`)
  if (state === 'bidding') conditions.push(sql<boolean>`m.auction_end_time > ${now}::int8`)
  const { rows, next } = await readContractRows(db, { table: 'dns_entries', conditions, order: ORDER }, page)
  return { rows: rows.map((row) => ({ ...row, isOver: row.auction_end_time! <= BigInt(now) })), next }
}
