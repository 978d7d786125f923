import { type Kysely, sql } from 'kysely'

/** Messages of pending traces that blocks are searched for before the masterchain commits them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table pending_traces add column awaited bytea[] not null default '{}'`.execute(db)
  await sql`alter table pending_traces alter column awaited drop default`.execute(db)
}
