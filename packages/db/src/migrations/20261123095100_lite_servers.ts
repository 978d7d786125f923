import { type Kysely, sql } from 'kysely'

/** What ingest sees of the lite servers, for the status page and `status`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ingest_status add lite_servers jsonb, add lite_servers_at timestamptz`.execute(db)
}
