import { sleep } from '@shardwalk/concurrency'
import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { describeDatabase, prepareToMigrate } from './analytics/describe-database.ts'
import type { Db } from './database.ts'
import { MIGRATIONS, type Migrations, type OnlineMigration } from './migrations/index.ts'
import { buildOnlineIndex } from './migrations/online-index.ts'
import { refuseMissingPlace } from './place-of-tables.ts'
import { appliedMigrations, MIGRATION_TABLE, refuseNewer } from './schema-version.ts'
import { LOCK_KEYS } from './writing/locks.ts'

/**
 * Brings the tables, their comments and the views to this version; returns the names of the migrations it
 * ran. Several processes may call it at once. Migrations up to the next online one run in one transaction,
 * under the advisory lock of Kysely. What is interrupted is continued by the next call. Throws
 * `SchemaTooNew`, and `DatabaseUnsuitable` for a user who may not create tables, without touching anything.
 */
export async function migrate(db: Db, migrations: Migrations = MIGRATIONS): Promise<readonly string[]> {
  const applied = await appliedMigrations(db)
  refuseNewer(applied, migrations)
  if (applied.length === 0) await refuseMissingPlace(db as Kysely<unknown>)
  const names = Object.keys(migrations).sort()
  if (names.some((name) => !applied.includes(name))) await prepareToMigrate(db)
  const done: string[] = []
  for (const [at, name] of names.entries()) {
    const migration = migrations[name]!
    if (applied.includes(name)) continue
    if (isOnline(migration)) await buildAlone(db, migration)
    // The next one runs together with this one.
    else if (at + 1 < names.length && !isOnline(migrations[names[at + 1]!]!)) continue
    done.push(...(await migrateTo(db, name, migrations)))
  }
  if (migrations === MIGRATIONS) await describeDatabase(db)
  return done
}

const isOnline = (migration: Migration | OnlineMigration): migration is OnlineMigration =>
  'online' in migration

/** Up to this one, unless another process has come as far or further: Kysely would go back then. */
const migrateTo = (db: Db, name: string, migrations: Migrations): Promise<readonly string[]> =>
  alone(db, async (connection) => {
    if ((await appliedMigrations(connection)).includes(name)) return []
    const inTransaction = Object.fromEntries(
      Object.entries(migrations).map(([key, one]) => [key, isOnline(one) ? BUILT : one]),
    )
    const migrator = new Migrator({
      db: connection,
      provider: { getMigrations: async () => inTransaction },
      migrationTableName: MIGRATION_TABLE,
      migrationLockTableName: `${MIGRATION_TABLE}_lock`,
    })
    const { error, results } = await migrator.migrateTo(name)
    if (error) {
      refuseNewer(await appliedMigrations(connection), migrations)
      throw error
    }
    return (results ?? []).map((result) => result.migrationName)
  })

/** An online migration whose indexes are there. */
const BUILT: Migration = { up: async () => {} }

const buildAlone = (db: Db, { online }: OnlineMigration): Promise<void> =>
  alone(db, async (connection) => {
    for (const index of online) await buildOnlineIndex(connection, index)
  })

/** Waiting in a statement would hold a snapshot, for whose end `create index concurrently` waits. */
const LOCK_EVERY_MS = 200

/** Runs when no other process migrates. The lock ends with the connection at the latest. */
const alone = <T>(db: Db, work: (connection: Kysely<unknown>) => Promise<T>): Promise<T> =>
  db.connection().execute(async (connection) => {
    const one = connection as unknown as Kysely<unknown>
    const key = sql`${sql.lit(LOCK_KEYS.migrations)}, 0`
    for (;;) {
      const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${key}) as locked`.execute(
        one,
      )
      if (rows[0]?.locked) break
      await sleep(LOCK_EVERY_MS)
    }
    try {
      return await work(one)
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(one).catch(() => {})
    }
  })
