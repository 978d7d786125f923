import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'

/** An account as the address book shows it. */
export interface BookRow {
  readonly id: AccountId
  readonly workchain: number
  readonly address: Buffer
  readonly code_hash: Buffer | null
  readonly methods: readonly number[] | null
  readonly domain: string | null
}

/** Columns of `BookRow` and their types. */
export const BOOK_TYPES = {
  id: 'int8',
  workchain: 'int4',
  address: 'bytea',
  code_hash: 'bytea',
  methods: 'int4[]',
  domain: 'text',
} as const

/** Columns of a `BookRow`, over `BOOK_TABLES`. */
export const BOOK_EXPRESSIONS = {
  id: 'a.id',
  workchain: 'a.workchain',
  address: 'a.address',
  code_hash: 's.code_hash',
  methods: 'm.methods',
  domain: 'd.domain',
} as const

const OF_IDS = 'any(array(select id from ids))'

/**
 * The tables of an address book for the list `ids` (id), to stand after `from`. Each table is read once along
 * its index, by an array of all ids: a look-up for each of them takes three times as long. Of full joins no
 * planner makes nested loops, which it would for the ten ids that it expects: there may be thousands. Index:
 * primary keys; dns_entries (wallet_id).
 */
export const BOOK_TABLES = sql.raw(`
  (select * from accounts x where x.id = ${OF_IDS}) a
  full join (select * from latest_account_states x where x.account_id = ${OF_IDS}) s on s.account_id = a.id
  full join (
    select distinct on (x.wallet_id) x.wallet_id, x.domain from dns_entries x
    where x.wallet_id = ${OF_IDS} and x.owner_id = x.wallet_id
    order by x.wallet_id, length(x.domain), x.domain collate "C"
  ) d on d.wallet_id = a.id
  left join lateral (select * from contract_methods x where x.code_hash = s.code_hash offset 0) m on true
  where (a.id is null) is false`)
