import { sleep } from '@shardwalk/concurrency'
import { EXIT, type Logger, type Shutdown, tellSupervisor } from '@shardwalk/observability'
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Db } from './database.ts'
import { SchemaTooNew, SchemaTooOld } from './errors.ts'
import { MIGRATIONS, type Migrations } from './migrations/index.ts'

/** Names of the migrations that have run. */
export const MIGRATION_TABLE = 'schema_migrations'

/**
 * Throws `SchemaTooNew` or `SchemaTooOld` unless the tables are those of this version: for processes that do
 * not migrate.
 */
export async function checkSchema(db: Db): Promise<void> {
  refuseOther(await appliedMigrations(db))
}

function refuseOther(applied: readonly string[]): void {
  refuseNewer(applied, MIGRATIONS)
  const missing = Object.keys(MIGRATIONS).filter((name) => !applied.includes(name))
  if (missing.length > 0) throw new SchemaTooOld(missing)
}

/** What of a process has to end. */
export interface EndWhenMigratedOptions {
  readonly db: Db
  readonly log: Logger
  readonly shutdown: Pick<Shutdown, 'signal' | 'run'>
  /** The tables may be those of a standby that has not caught up with a migration yet. Default false. */
  readonly mayBeBehind?: boolean
  /** How often the migrations are read. Default 1,000. Milliseconds. */
  readonly everyMs?: number
}

/**
 * Ends this process with `EXIT.fix`, as its next start would, and the `start` that supervises it, when a
 * newer version has migrated the tables. Its statements may be wrong then without an error: what has moved to
 * another column is not found, and a new column remains empty. Ends it with `EXIT.tryAgain` when they are
 * those of an earlier version, because a backup was restored: its next start may migrate them.
 */
export async function endWhenMigrated(options: EndWhenMigratedOptions): Promise<void> {
  const { db, log, shutdown, mayBeBehind = false, everyMs = 1_000 } = options
  for (const { signal } = shutdown; !signal.aborted; await sleep(everyMs, signal))
    try {
      const applied = await appliedMigrations(db)
      // While a backup is being restored there may be none: whoever starts now would make them.
      if (applied.length > 0) refuseOther(applied)
    } catch (error) {
      // A database that does not answer is asked again.
      if (signal.aborted) continue
      if (error instanceof SchemaTooOld && !mayBeBehind) {
        log.error('the database is that of an earlier version now', { error })
        return shutdown.run(EXIT.tryAgain)
      }
      if (!(error instanceof SchemaTooNew)) continue
      log.error('another version has migrated the database', { error })
      await tellSupervisor({ type: 'fatal', message: error.message })
      return shutdown.run(EXIT.fix)
    }
}

/** Number of migrations that this version knows. */
export const KNOWN_MIGRATIONS = Object.keys(MIGRATIONS).length

/**
 * Throws `SchemaTooNew` if a newer version has migrated the tables, `SchemaTooOld` if those of an earlier one
 * were restored. A transaction calls it after its writes, for whose locks a migration of the same tables
 * waits: it then runs either before and is seen, or after the commit.
 */
export async function refuseMigrated(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATION_TABLE}`)
  refuseOther(rows.map(({ name }) => name))
}

/** Runs `write` in a transaction that ends with the check of `refuseMigrated`. */
export const unlessMigrated = <T>(db: Db, write: (transaction: Db) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (transaction) => {
    const result = await write(transaction)
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(
      transaction,
    )
    refuseOther(rows.map(({ name }) => name))
    return result
  })

/** Throws `SchemaTooNew` if others than `migrations` have run. */
export function refuseNewer(applied: readonly string[], migrations: Migrations): void {
  const unknown = applied.filter((name) => !(name in migrations))
  if (unknown.length > 0) throw new SchemaTooNew(unknown)
}

/** Names in their order; none if there are no tables. */
export async function appliedMigrations(db: Kysely<unknown> | Db): Promise<readonly string[]> {
  const { rows } = await sql<{
    found: boolean
  }>`select to_regclass(${MIGRATION_TABLE}) is not null as found`.execute(db as Kysely<unknown>)
  if (!rows[0]?.found) return []
  const names = await sql<{
    name: string
  }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db as Kysely<unknown>)
  return names.rows.map((row) => row.name)
}
