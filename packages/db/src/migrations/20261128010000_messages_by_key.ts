import { type Kysely, sql } from 'kysely'

/** Traces lead to external-in messages by either hash, and nothing else has a normalised one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index messages_hash_norm`.execute(db)
}
