import { type Kysely, sql } from 'kysely'

/** Filters of messages have pairs of values, too, and are made anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`delete from hash_filters where of_table = 'messages'`.execute(db)
}
