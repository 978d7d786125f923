import { type Kysely, sql } from 'kysely'

/**
 * Hashes that another row of the same piece has are not stored again. Transactions that are indexed already
 * keep theirs, which are right as well; a repair of their range writes them without.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table transactions
      alter column prev_trans_hash drop not null,
      alter column state_hash_before drop not null`.execute(db)
}
