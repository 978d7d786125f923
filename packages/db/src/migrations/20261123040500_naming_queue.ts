import { type Kysely, sql } from 'kysely'

/**
 * Contracts that name a changed one are queued page by page: a master may have millions of wallets. So are
 * traces that refer to a changed contract.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table naming_queue (
      named_id bigint not null,
      source smallint not null,
      after numeric not null,
      primary key (named_id, source)
    ) with (fillfactor = 50)`.execute(db)
  await sql`alter table changed_facts add column asked_id bigint, add column asked_trace_id bytea`.execute(db)
}
