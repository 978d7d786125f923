import type { Context } from './context.ts'
import { joinDatabase, type OpenDatabase, primaryFirst, readableDatabase } from './database.ts'
import { checkTables, checkTablesToWrite, migrateDatabase } from './migrate-database.ts'
import { prepareRoles, processEnvironment } from './role-urls.ts'

/** Uses a database and releases it, whatever happens. */
export async function usingDatabase<T>(
  opening: Promise<OpenDatabase>,
  use: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const database = await opening
  try {
    return await use(database)
  } finally {
    await database.stop()
  }
}

/** Runs a process that writes: `env` has its settings. Before the first start the tables are made. */
export const asWriter = <T>(context: Context, run: (env: Record<string, string>) => Promise<T>): Promise<T> =>
  usingDatabase(migratedDatabase(context), async (database) => {
    const { writer } = await prepareRoles(database, context.settings)
    return run(processEnvironment({ ...context.settings, databaseUrl: writer }))
  })

/** The database of the installation, with all tables: before the first start it is made. */
export async function migratedDatabase(context: Context): Promise<OpenDatabase> {
  const database = await joinDatabase(context)
  return checked(database, async (url) => void (await migrateDatabase(url)))
}

/** The database of the installation as it is, where it can be written. */
export const existingDatabase = ({ settings, ...context }: Context): Promise<OpenDatabase> =>
  replicatedDatabase({ settings: primaryFirst(settings), ...context })

/** The same, or a replica of it if there is one. */
export const replicatedDatabase = async (context: Context): Promise<OpenDatabase> =>
  checked(await readableDatabase(context), checkTables)

/**
 * The database of the installation as it is, never a replica: for maintenance. Migrating would pull the
 * tables from under processes of an earlier version that run.
 */
export async function maintainedDatabase({ settings, ...context }: Context): Promise<OpenDatabase> {
  const database = settings.databaseUrl
    ? await joinDatabase({ settings, ...context })
    : await readableDatabase({ settings: { ...settings, databaseReadUrl: undefined }, ...context })
  return checked(database, checkTablesToWrite)
}

async function checked(database: OpenDatabase, check: (url: string) => Promise<void>): Promise<OpenDatabase> {
  try {
    await check(database.url)
    return database
  } catch (error) {
    await database.stop()
    throw error
  }
}
