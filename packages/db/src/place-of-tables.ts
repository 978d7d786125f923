import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import { DatabaseUnsuitable } from './errors.ts'

interface Place {
  /** Where tables are created; null: no schema of `search_path` exists. */
  readonly schema: string | null
  readonly search_path: string
  readonly may_create: boolean | null
  readonly user: string
  readonly database: string
}

/**
 * Throws `DatabaseUnsuitable` if the user may not create tables. In the schema `public` only the owner of the
 * database may: all privileges of a database, which used to suffice, are no more than CREATE on it.
 */
export async function refuseMissingPlace(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Place>`
    select quote_ident(current_schema()) as schema, current_setting('search_path') as search_path,
      has_schema_privilege(current_schema(), 'create') as may_create,
      quote_ident(current_user) as user, quote_ident(current_database()) as database`.execute(db)
  const { schema, search_path, may_create, user, database } = rows[0]!
  if (schema === null)
    throw new DatabaseUnsuitable(
      `there is no schema for the tables: search_path is ${search_path}. Create a schema that it names ` +
        `(create schema ... authorization ${user}), or correct it`,
    )
  if (!may_create)
    throw new DatabaseUnsuitable(
      `the user ${user} may not create tables in the schema ${schema}. Make it the owner of the database ` +
        `(alter database ${database} owner to ${user}), or grant it the schema (grant usage, create on ` +
        `schema ${schema} to ${user})`,
    )
}

/** The schema of the tables, as in SQL; `public` if there are none. */
export async function schemaOfTables(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>(
    `select quote_ident(nspname) as schema from pg_class c join pg_namespace n on n.oid = relnamespace
     where c.oid = to_regclass('accounts')`,
  )
  return rows[0]?.schema ?? 'public'
}
