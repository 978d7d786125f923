import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Whether the schema exists and contains a table or another relation. */
export async function hasTables(db: Db, schema: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class where relnamespace = to_regnamespace(${schema}) limit 1`.execute(db)
  return rows.length > 0
}
