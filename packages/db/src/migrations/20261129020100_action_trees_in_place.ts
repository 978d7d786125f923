import { type Kysely, sql } from 'kysely'

/** Puts the indexes of the migration before in the place of hash indexes and of longer B-trees. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of INDEXES) {
    await sql.raw(`drop index actions_${index}`).execute(db)
    await sql.raw(`alter index actions_tree_${index} rename to actions_${index}`).execute(db)
  }
}

const INDEXES = ['order_lt', 'order_utime', 'trace_id']
