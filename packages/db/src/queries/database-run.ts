import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'

/**
 * SQL: a text that differs after the tables were dropped and made again, or emptied, as by
 * `pg_restore --clean` under open connections. Of tables whose rows processes remember.
 */
export const TABLES_RUN = `concat_ws(' ', ${[
  'accounts',
  'codes',
  'contract_methods',
  'latest_account_states',
  'network_config',
]
  .map((table) => `pg_relation_filenode(to_regclass('${table}'))`)
  .join(', ')})`

/** See `TABLES_RUN`. */
export async function readTablesRun(client: pg.ClientBase | pg.Pool): Promise<string> {
  const { rows } = await client.query<{ run: string }>(`select ${TABLES_RUN} as run`)
  return rows[0]!.run
}

/**
 * Text that differs after the server was started again, on another server, in a database that was made anew
 * under the same name, and after tables were restored in it. Each of them may lack what was written last: a
 * crash lost it, it did not reach a standby, or a backup was restored. What a process remembers of its own
 * writes no longer holds then.
 */
export async function readDatabaseRun(db: Db): Promise<string> {
  const { rows } = await sql<{ run: string }>`
    select concat_ws(' ', pg_postmaster_start_time(), oid, ${sql.raw(TABLES_RUN)}) as run from pg_database
    where datname = current_database()`.execute(db)
  return rows[0]!.run
}
