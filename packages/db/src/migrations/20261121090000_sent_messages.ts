import { type Kysely, sql } from 'kysely'

/** External messages that clients sent through this service and that may not be in the chain yet. May be emptied at any time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table sent_messages (
    hash_norm bytea primary key,
    boc bytea not null,
    sent_at timestamptz not null default now()
  )`.execute(db)
  await sql`create index sent_messages_sent_at on sent_messages (sent_at)`.execute(db)
}
