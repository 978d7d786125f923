import { type Kysely, sql } from 'kysely'

/**
 * Global versions that are not known, of which there may be one for every masterchain block of a day. What
 * else is missing is found without passing over them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table quarantine drop constraint quarantine_kind_check`.execute(db)
  await sql`alter table quarantine add constraint quarantine_kind_check
    check (kind in ('block', 'transaction', 'state', 'version'))`.execute(db)
  await sql`create index quarantine_missing on quarantine (mc_seqno)
    where kind <> 'version'`.execute(db)
}
