import { type Kysely, sql } from 'kysely'
import type { Db } from '../database.ts'
import { LOCK_KEYS } from '../writing/locks.ts'
import { tableComments, writeComments } from './comments.ts'

/**
 * Brings what people see of a migrated database to this version: the comments of tables. Does nothing if the
 * user does not own the tables.
 */
export async function describeDatabase(db: Db): Promise<void> {
  if (!(await ownsTables(db))) return
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_KEYS.descriptions)}, 0)`.execute(transaction)
    await writeComments(transaction as unknown as Kysely<unknown>, tableComments())
  })
}

async function ownsTables(db: Db): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`
    select pg_has_role(relowner, 'usage') as owns from pg_class where oid = to_regclass('accounts')
  `.execute(db)
  return rows[0]?.owns ?? false
}
