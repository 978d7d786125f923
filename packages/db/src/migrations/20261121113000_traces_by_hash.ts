import { type Kysely, sql } from 'kysely'

/**
 * Traces are looked up by id and listed by what else they have, never in the order of ids: a hash index, 12 bytes a transaction of the recorded
 * chain, does what the tree of the primary key took 26 for. One row a trace is kept by the one lock under which traces are written.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table traces drop constraint traces_pkey`.execute(db)
  await sql`create index traces_trace_id on traces using hash (trace_id) with (fillfactor = 90)`.execute(db)
}
