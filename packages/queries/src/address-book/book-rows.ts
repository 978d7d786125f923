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

/** Columns of a `BookRow`, over `BOOK_JOINS`. */
export const BOOK_EXPRESSIONS = {
  id: 'a.id',
  workchain: 'a.workchain',
  address: 'a.address',
  code_hash: 's.code_hash',
  methods: 'm.methods',
  domain: `(select d.domain from dns_entries d where d.wallet_id = a.id and d.owner_id = a.id
    order by length(d.domain), d.domain collate "C" limit 1)`,
} as const

/**
 * Joins for a list of ids `i`. One lookup each: from a list that follows from rows of many partitions the
 * planner expects a row of every partition, and would rather read these tables whole. Index: primary keys;
 * dns_entries (wallet_id).
 */
export const BOOK_JOINS = sql.raw(`
  cross join lateral (select * from accounts x where x.id = i.id offset 0) a
  left join lateral (select * from latest_account_states x where x.account_id = a.id offset 0) s on true
  left join lateral (select * from contract_methods x where x.code_hash = s.code_hash offset 0) m on true`)
