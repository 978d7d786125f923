import { type Kysely, Migrator, sql } from 'kysely'
import type { Db } from './database.ts'
import { SchemaTooNew, SchemaTooOld } from './errors.ts'
import { MIGRATIONS } from './migrations/index.ts'

const MIGRATION_TABLE = 'schema_migrations'

/**
 * Brings the tables to this version; returns the names of the migrations it ran. Several processes may call
 * it at once: Kysely serialises them by an advisory lock and runs all in one transaction. Throws
 * `SchemaTooNew` without touching anything.
 */
export async function migrate(db: Db): Promise<readonly string[]> {
  const applied = await appliedMigrations(db)
  refuseNewer(applied)
  // Also for users who could not.
  if (Object.keys(MIGRATIONS).every((name) => applied.includes(name))) return []
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) {
    refuseNewer(await appliedMigrations(db))
    throw error
  }
  return (results ?? []).map((result) => result.migrationName)
}

/**
 * Throws `SchemaTooNew` or `SchemaTooOld` unless the tables are those of this version: for processes that do
 * not migrate.
 */
export async function checkSchema(db: Db): Promise<void> {
  const applied = await appliedMigrations(db)
  refuseNewer(applied)
  const missing = Object.keys(MIGRATIONS).filter((name) => !applied.includes(name))
  if (missing.length > 0) throw new SchemaTooOld(missing)
}

function refuseNewer(applied: readonly string[]): void {
  const unknown = applied.filter((name) => !(name in MIGRATIONS))
  if (unknown.length > 0) throw new SchemaTooNew(unknown)
}

async function appliedMigrations(db: Kysely<unknown> | Db): Promise<readonly string[]> {
  const { rows } = await sql<{
    found: boolean
  }>`select to_regclass(${MIGRATION_TABLE}) is not null as found`.execute(db as Kysely<unknown>)
  if (!rows[0]?.found) return []
  const names = await sql<{
    name: string
  }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db as Kysely<unknown>)
  return names.rows.map((row) => row.name)
}
