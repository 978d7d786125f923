import { type Kysely, sql } from 'kysely'

/** Blocks leave out extra currencies that a transaction did not touch: such states are indexed, and completed later. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table hidden_currencies (
    account_id bigint not null,
    lt bigint not null,
    mc_seqno integer not null,
    hash bytea not null,
    part bytea,
    before jsonb,
    tries integer,
    not_before timestamptz,
    primary key (account_id, lt)
  )`.execute(db)
  await sql`create index hidden_currencies_due on hidden_currencies (coalesce(not_before, '-infinity'), account_id, lt)`.execute(
    db,
  )
}
