import { type Kysely, sql } from 'kysely'

/** What ingest tells the other processes. Logged, because the API may read it from a replica; a table that ingest made for itself earlier is replaced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop table if exists ingest_status`.execute(db)
  await sql`
    create table ingest_status (
      id integer primary key check (id = 1),
      head_seqno integer not null,
      first_seqno integer not null,
      reported_at timestamptz not null
    )`.execute(db)
}
