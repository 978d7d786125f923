import type { Db, DnsEntryRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  all,
  anyOf,
  Cursor,
  EMPTY_PAGE,
  int8,
  type Page,
  type PageRequest,
  readPage,
} from '../idiom/index.ts'

export interface DnsRecordFilter {
  /** Accounts to which the domains resolve. */
  readonly walletIds?: readonly AccountId[] | undefined
  /** The full domain, with its zone. */
  readonly domain?: string | undefined
}

/** The cursor refers to the last row of a page, because a domain is too long for it. */
const CURSOR = new Cursor<Pick<DnsEntryRow, 'account_id'>>('dns', { account_id: int8 })

/** Order: length of the domain, domain, account. Index: (wallet_id); (domain). */
export async function listDnsRecords(
  db: Db,
  { walletIds, domain }: DnsRecordFilter,
  page: PageRequest,
): Promise<Page<DnsEntryRow>> {
  const conditions = anyOf({ 'd.wallet_id': walletIds })
  if (!conditions) return EMPTY_PAGE
  if (domain !== undefined) conditions.push(sql<boolean>`d.domain = ${domain}`)
  return readPage({ ...page, sort: 'asc' }, { cursor: CURSOR }, ({ limit, offset, after }) =>
    db
      .selectFrom('dns_entries as d')
      .selectAll()
      .where(all(after ? [...conditions, behind(after.account_id)] : conditions))
      .orderBy(sql`length(d.domain), d.domain, d.account_id`)
      .limit(limit)
      .offset(offset)
      .execute(),
  )
}

const behind = (id: AccountId) => sql`(length(d.domain), d.domain, d.account_id) >
  (select length(l.domain), l.domain, l.account_id from dns_entries l where l.account_id = ${id})`
