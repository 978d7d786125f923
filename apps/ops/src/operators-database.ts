import type { Context } from './context.ts'
import { joinDatabase, type OpenDatabase, primaryFirst, readableDatabase } from './database.ts'
import { checkTables, checkTablesToWrite, migrateDatabase } from './migrate-database.ts'

/** The database of the installation, with all tables: before the first start it is made. */
export async function migratedDatabase(context: Context): Promise<OpenDatabase> {
  const database = await joinDatabase(context)
  return checked(database, async (url) => void (await migrateDatabase(url)))
}

/** The database of the installation as it is, where it can be written. */
export async function existingDatabase({ settings, ...context }: Context): Promise<OpenDatabase> {
  const database = await readableDatabase({ settings: primaryFirst(settings), ...context })
  return checked(database, checkTables)
}

/**
 * The same, but never a replica: for maintenance. Migrating would pull the tables from under processes of an
 * earlier version that run.
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
