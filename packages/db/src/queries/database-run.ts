import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Text that differs after the server was started again, on another server, and in a database that was made
 * anew under the same name. Each of them may lack what was written last: a crash lost it, it did not reach a
 * standby, or a backup was restored. What a process remembers of its own writes no longer holds then.
 */
export async function readDatabaseRun(db: Db): Promise<string> {
  const { rows } = await sql<{ run: string }>`
    select concat(pg_postmaster_start_time(), ' ', oid) as run from pg_database
    where datname = current_database()`.execute(db)
  return rows[0]!.run
}
