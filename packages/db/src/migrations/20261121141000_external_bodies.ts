import { type Kysely, sql } from 'kysely'

/**
 * External-in messages by body: whether any of them has a body that very many other messages have, the empty one above all. 3 bytes a
 * transaction at most (one message in nine comes from outside).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index messages_external_in_body on messages (body_hash8) where kind = 1`.execute(db)
}
