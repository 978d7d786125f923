import type { Db, DnsEntryRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  anyOf,
  EMPTY_PAGE,
  type KeysetOrder,
  type Page,
  type PageRequest,
  readContractRows,
} from '../idiom/index.ts'

/** Records that match all that is given; `undefined` matches any. */
export interface DnsRecordFilter {
  /** Accounts to which the domains resolve. */
  readonly walletIds?: readonly AccountId[] | undefined
  /** The full domain, with its zone. */
  readonly domain?: string | undefined
}

/** By bytes, whatever the collation of the database. */
const ORDER: KeysetOrder<DnsEntryRow> = {
  name: 'dns',
  sort: 'asc',
  columns: [
    [sql`length(m.domain)`, 'int4'],
    [sql`m.domain collate "C"`, 'text'],
    [sql`m.account_id`, 'int8'],
  ],
  position: ({ domain, account_id }) => [[...domain].length, domain, account_id],
}

/** Order: length of the domain, domain, account. Index: (wallet_id); (domain). */
export async function listDnsRecords(
  db: Db,
  { walletIds, domain }: DnsRecordFilter,
  page: PageRequest,
): Promise<Page<DnsEntryRow>> {
  const conditions = anyOf({ 'm.wallet_id': walletIds })
  if (!conditions) return EMPTY_PAGE
  if (domain !== undefined) conditions.push(sql<boolean>`m.domain = ${domain}`)
  return readContractRows(db, { table: 'dns_entries', conditions, order: ORDER }, page)
}
