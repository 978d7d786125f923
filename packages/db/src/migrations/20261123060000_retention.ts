import { type Kysely, sql } from 'kysely'

/** What was dropped by age, and the owner's function that drops it: ingest may not drop tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ingest_status add retained_from int4, add kept_from int4`.execute(db)
  await sql`
    create function drop_lt_partitions(parent text, below_lt bigint) returns setof int8range
    language plpgsql security definer as $$
    declare
      in_schema text := (select nspname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                         where p.oid = 'drop_lt_partitions(text, bigint)'::regprocedure);
      one record;
    begin
      if parent not in ('transactions', 'messages') then
        raise exception 'table % has no partitions by lt', parent;
      end if;
      for one in
        select c.relname as name, b[1]::bigint as from_lt, b[2]::bigint as to_lt
        from pg_inherits i join pg_class c on c.oid = i.inhrelid,
          regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''(\\d+)''\\) TO \\(''(\\d+)''\\)') b
        where i.inhparent = format('%I.%I', in_schema, parent)::regclass and b[2]::bigint <= below_lt
      loop
        execute format('drop table %I.%I', in_schema, one.name);
        return next int8range(one.from_lt, one.to_lt);
      end loop;
    end $$`.execute(db)
  // Of the tables, whatever the caller's is; temporary tables come last.
  await sql`
    do $$ begin
      execute format('alter function drop_lt_partitions(text, bigint) set search_path = %I, pg_temp',
        current_schema());
    end $$`.execute(db)
  await sql`revoke execute on function drop_lt_partitions(text, bigint) from public`.execute(db)
}
