import { type Kysely, sql } from 'kysely'

/**
 * Partitions belong to the owner of their tables, whoever needs them. The role of ingest may create them by
 * this function and create nothing else. A partition is created as a table and then attached, which unlike
 * `create ... partition of` does not wait for readers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function create_lt_partition(parent text, from_lt bigint, to_lt bigint) returns void
    language plpgsql security definer as $$
    declare
      partition text := parent || '_lt_' || from_lt;
      in_schema text := (select nspname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                         where p.oid = 'create_lt_partition(text, bigint, bigint)'::regprocedure);
    begin
      if parent not in ('transactions', 'messages') then
        raise exception 'table % has no partitions by lt', parent;
      end if;
      execute format('create table %1$I.%2$I (like %1$I.%3$I including all)', in_schema, partition, parent);
      execute format('alter table %1$I.%2$I attach partition %1$I.%3$I for values from (%4$L) to (%5$L)',
        in_schema, parent, partition, from_lt, to_lt);
    end $$`.execute(db)
  // Of the tables, whatever the caller's is; temporary tables come last.
  await sql`
    do $$ begin
      execute format('alter function create_lt_partition(text, bigint, bigint) set search_path = %I, pg_temp',
        current_schema());
    end $$`.execute(db)
  await sql`revoke execute on function create_lt_partition(text, bigint, bigint) from public`.execute(db)
}
