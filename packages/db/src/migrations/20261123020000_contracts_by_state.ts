import { type Kysely, sql } from 'kysely'

/**
 * `changed_lt` said when a change was noticed, which depends on the order of indexing. Rows that depend on it
 * too go; those that are left are completed when their accounts are examined again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table contracts drop column changed_lt`.execute(db)
  await sql`
    delete from contract_data r using account_data d
    where d.account_id = r.account_id and (d.data_hash = r.data_hash or d.lt >= r.lt)`.execute(db)
}
