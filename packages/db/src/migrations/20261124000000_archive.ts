import { type Kysely, sql } from 'kysely'

/**
 * Partitions on other servers. A table with such a partition has no unique index (PostgreSQL refuses one), so
 * that each of its partitions has the primary key instead.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select quote_ident(current_schema()) as schema`.execute(db)
  for (const statement of statementsIn(rows[0]!.schema)) await sql.raw(statement).execute(db)
}

const statementsIn = (schema: string): readonly string[] => [
  `create table archived_partitions (
    from_lt bigint primary key,
    to_lt bigint not null,
    server text not null,
    state smallint not null,
    transaction_blocks integer not null default 0,
    message_blocks integer not null default 0
  )`,
  `create table archived_hashes (
    of_table text not null,
    from_lt bigint not null,
    block integer not null,
    bits bytea not null,
    primary key (of_table, from_lt, block)
  )`,
  // A row is read for one bit in each of six places: plain bytes, not compressed.
  'alter table archived_hashes alter column bits set storage plain',
  `create function ranges_with_hash(of_table text, hash bytea, below_lt bigint)
     returns table (from_lt bigint, to_lt bigint)
   language plpgsql stable strict parallel safe rows 1 as $$
   declare
     one record;
     bits bytea;
     number bigint := (get_byte(hash, 0)::bigint << 24) + (get_byte(hash, 1) << 16) + (get_byte(hash, 2) << 8)
       + get_byte(hash, 3);
   begin
     from_lt := coalesce((select max(p.to_lt) from ${schema}.archived_partitions p
       where p.state between 1 and 3), 0);
     to_lt := below_lt;
     return next;
     for one in select p.* from ${schema}.archived_partitions p where p.state between 1 and 3
       order by p.from_lt desc
     loop
       select h.bits into bits from ${schema}.archived_hashes h
       where h.of_table = ranges_with_hash.of_table and h.from_lt = one.from_lt and h.block = number %
         case ranges_with_hash.of_table when 'messages' then one.message_blocks
           else one.transaction_blocks end;
       for i in 0 .. 5 loop
         exit when bits is null;
         if get_bit(bits, ((get_byte(hash, 4 + 2 * i) << 8) + get_byte(hash, 5 + 2 * i)) & 8191) = 0 then
           bits := null;
         end if;
       end loop;
       continue when bits is null;
       from_lt := one.from_lt;
       to_lt := least(one.to_lt, below_lt);
       return next;
     end loop;
   end $$`,
  `create function refuse_archived() returns trigger language plpgsql as $$
   begin
     raise exception 'rows of % belong to partitions that are on an archive server, or on the way there',
       tg_table_name using errcode = 'SWARC', hint = 'Run "shardwalk archive --back" for their range first.';
   end $$`,
  `do $do$ declare
     attach text := 'execute format(''alter table %1$I.%2$I attach';
     definition text := pg_get_functiondef('create_lt_partition(text, bigint, bigint)'::regprocedure);
   begin
     if position(attach in definition) = 0 then
       raise exception 'create_lt_partition is another one: %', definition;
     end if;
     -- As it is, with its search path and privileges, and one statement more.
     execute replace(definition, attach,
       'if not exists (select from pg_constraint where conrelid = parent::regclass and contype = ''p'') then
         execute format(''alter table %I.%I add primary key (account_id, lt)'', in_schema, partition);
       end if;
       ' || attach);
   end $do$`,
]
