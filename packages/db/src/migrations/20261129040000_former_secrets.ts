import { type Kysely, sql } from 'kysely'

/** A webhook may have two keys for a time, so that its receiver can change from one to the other. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook_secrets add former text, add former_until timestamptz`.execute(db)
}
