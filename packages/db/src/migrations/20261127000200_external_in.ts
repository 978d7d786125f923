import { type Kysely, sql } from 'kysely'

/** Drops the indexes that those of the migration before take the place of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['account', 'body', 'opcode'])
    await sql`drop index ${sql.ref(`messages_external_in_${name}`)}`.execute(db)
}
