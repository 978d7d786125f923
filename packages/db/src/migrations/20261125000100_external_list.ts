import { type Kysely, sql } from 'kysely'

/** Drops the index that the indexes of the previous migration replace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index messages_external_in`.execute(db)
}
