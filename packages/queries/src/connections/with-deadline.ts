import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'

/**
 * Runs work whose statements may take at most `timeoutMs` each; undefined leaves the limit of the pool. The
 * limit is a setting of the connection, so the work gets a connection of its own, and the setting is restored
 * afterwards.
 */
export async function withDeadline<T>(
  db: Db,
  timeoutMs: number | undefined,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return work(db)
  return db.connection().execute(async (connection) => {
    await sql`select set_config('statement_timeout', ${String(timeoutMs)}, false)`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}
