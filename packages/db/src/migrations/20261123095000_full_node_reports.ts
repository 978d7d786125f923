import { type Kysely, sql } from 'kysely'

/** Few rows, replaced every few seconds; see 20261123080000_autovacuum. */
const SMALL = 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200'

/** What processes know of full nodes, for those who watch them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table full_node_reports (
        adnl_id bytea primary key,
        reported_at timestamp with time zone not null,
        report jsonb not null
      ) with (${SMALL})`,
    )
    .execute(db)
}
