import { type Kysely, sql } from 'kysely'

/** The index on the code alone, which `latest_account_states_code_account` begins with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index latest_account_states_code`.execute(db)
}
