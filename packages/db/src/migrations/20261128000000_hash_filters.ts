import { type Kysely, sql } from 'kysely'

/**
 * Filters of hashes for all finished partitions, many in one row, instead of those of archived ones. Ingest
 * makes them for local partitions. A partition that is archived already is asked for every old hash until it
 * is moved anew.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table hash_filters (
    of_table text not null,
    from_lt bigint not null,
    to_lt bigint not null,
    group_no smallint not null,
    slot smallint not null,
    blocks integer not null,
    is_complete boolean not null,
    written_at timestamptz,
    primary key (of_table, from_lt)
  )`,
  `create table hash_filter_bits (
    group_no smallint not null,
    block integer not null,
    bits bytea not null,
    primary key (group_no, block)
  )`,
  // Rewritten with each filter of its group.
  `alter table hash_filter_bits set (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  // A row is read for one bit in each of six places: plain bytes, not compressed.
  'alter table hash_filter_bits alter column bits set storage plain',
  'drop function ranges_with_hash(text, bytea, bigint)',
  'drop table archived_hashes',
  'alter table archived_partitions drop column transaction_blocks, drop column message_blocks',
]
