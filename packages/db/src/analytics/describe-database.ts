import { type Kysely, sql } from 'kysely'
import type { Db } from '../database.ts'
import { LOCK_KEYS } from '../writing/locks.ts'
import { tableComments, writeComments } from './comments.ts'
import { dropViews, writeViews } from './write-views.ts'

/**
 * Brings what people see of a migrated database to this version: comments of tables, and views. Does nothing
 * if the user does not own the tables.
 */
export const describeDatabase = (db: Db): Promise<void> =>
  asOwner(db, async (transaction) => {
    await writeComments(transaction, tableComments())
    await writeViews(transaction)
  })

/** Removes the views before migrations: a column that a view shows cannot be changed. */
export const prepareToMigrate = (db: Db): Promise<void> => asOwner(db, dropViews)

async function asOwner(db: Db, work: (transaction: Kysely<unknown>) => Promise<void>): Promise<void> {
  const { rows } = await sql<{ owns: boolean }>`
    select pg_has_role(relowner, 'usage') as owns from pg_class where oid = to_regclass('accounts')
  `.execute(db)
  if (!rows[0]?.owns) return
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_KEYS.descriptions)}, 0)`.execute(transaction)
    await work(transaction as unknown as Kysely<unknown>)
  })
}
