import { type Kysely, sql } from 'kysely'

/** Drops the index that those of the migration before take the place of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index messages_external_in`.execute(db)
}
