import { checkSchema, DatabaseUnsuitable, followPort, migrate } from '@shardwalk/db'
import { EXIT } from '@shardwalk/observability'
import { CommandError } from './outcome.ts'
import { withDbRetry } from './with-db.ts'

/** Throws unless the tables are those of this version. */
export const checkTables = (url: string): Promise<void> => withDbRetry(url, ({ db }) => checkSchema(db))

/** The same; and rows of the archive can be reached if the server has another port than before. */
export const checkTablesToWrite = (url: string): Promise<void> =>
  withDbRetry(url, async ({ db, pool }) => {
    await checkSchema(db)
    await followPort(pool)
  })

/**
 * Migrates the database to this version, however long a statement takes. All or nothing: what is interrupted
 * starts over.
 */
export const migrateDatabase = (url: string): Promise<readonly string[]> =>
  asOwner('migrate', () =>
    withDbRetry(
      url,
      async ({ db, pool }) => {
        const done = await migrate(db)
        await followPort(pool)
        return done
      },
      { statementTimeoutMs: 0 },
    ),
  )

/** Says who may run the command. */
export async function asOwner<T>(
  command: 'migrate' | 'compact' | 'archive',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DatabaseUnsuitable) throw new CommandError(`DATABASE_URL: ${error.message}.`)
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error
    throw new CommandError(
      `DATABASE_URL: this user may not ${command} the database. Run "shardwalk ${command}" as the owner of ` +
        'the tables.',
      EXIT.tryAgain,
    )
  }
}
const INSUFFICIENT_PRIVILEGE = '42501'
