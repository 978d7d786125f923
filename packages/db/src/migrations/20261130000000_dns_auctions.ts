import { type Kysely, sql } from 'kysely'

/** Domains have their auctions; those that are known are examined again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `alter table dns_entries add column bidder_id bigint, add column auction_end_time bigint,
     add column bid numeric`,
  `create index dns_entries_bidder on dns_entries (bidder_id, auction_end_time)
     where bidder_id is not null`,
  `insert into refresh_queue (account_id, lt)
     select e.account_id, s.lt from dns_entries e join latest_account_states s using (account_id)
     on conflict (account_id) do nothing`,
]
