import { type Kysely, sql } from 'kysely'

/** What `activity_width` returns. */
const WIDTH = 5_000_000_000_000n

/**
 * `accounts.activity` tells in which periods of lt an account has rows, so that lists of it open few
 * partitions. Nothing is rewritten: accounts from before have the value of all periods up to the present,
 * which the catalogue holds once. There is no default: a version that does not know the column cannot add
 * accounts without it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select quote_ident(current_schema()) as schema`.execute(db)
  for (const statement of functionsIn(rows[0]!.schema)) await sql.raw(statement).execute(db)
  const before = await everUntilNow(db)
  await sql`alter table accounts add column activity bytea not null default ${sql.lit(before)}`.execute(db)
  await sql`alter table accounts alter column activity drop default`.execute(db)
}

/** As text of a bytea: one run from 0 up to the next period after the newest row. */
async function everUntilNow(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ activity: string }>`
    select encode_activity(case when last is null then '{}'
      else int4multirange(int4range(0, (last / ${sql.lit(WIDTH)})::int + 2)) end)::text as activity
    from (select greatest((select max(lt) from transactions), (select max(lt) from messages)) as last) x
  `.execute(db)
  return rows[0]!.activity
}

/** Bodies name schemas, so that no search_path changes what they mean. */
const functionsIn = (schema: string): readonly string[] => [
  `create function activity_width() returns bigint language sql immutable parallel safe as
   'select ${WIDTH}'`,
  // Numbers in groups of seven bits, lowest first, as long as the eighth is set.
  `create function decode_activity(stored bytea) returns int4multirange
   language plpgsql immutable strict parallel safe as $$
   declare
     runs int4range[] := '{}';
     position int := 0;
     is_length boolean := false;
     number int := 0;
     shift int := 0;
     byte int;
   begin
     for i in 0 .. length(stored) - 1 loop
       byte := get_byte(stored, i);
       number := number | ((byte & 127) << shift);
       shift := shift + 7;
       continue when byte > 127;
       if is_length then runs := runs || int4range(position, position + number); end if;
       position := position + number;
       is_length := not is_length;
       number := 0;
       shift := 0;
     end loop;
     return int4multirange(variadic runs);
   end $$`,
  `create function encode_activity(periods int4multirange) returns bytea
   language plpgsql immutable strict parallel safe as $$
   declare
     stored bytea := '';
     position int := 0;
     run int4range;
     number int;
   begin
     foreach run in array array(select unnest(periods)) loop
       foreach number in array array[lower(run) - position, upper(run) - lower(run)] loop
         while number > 127 loop
           stored := stored || set_byte('\\x00', 0, (number & 127) | 128);
           number := number >> 7;
         end loop;
         stored := stored || set_byte('\\x00', 0, number);
       end loop;
       position := upper(run);
     end loop;
     return stored;
   end $$`,
  `create function merge_activity(one bytea, other bytea) returns bytea
   language plpgsql immutable strict parallel safe as $$
   begin
     if one = other then return one; end if;
     return ${schema}.encode_activity(${schema}.decode_activity(one) + ${schema}.decode_activity(other));
   end $$`,
  // The planner must not put the body in place of the call.
  `create function active_ranges(account bigint, descending boolean)
     returns table (from_lt bigint, to_lt bigint)
   language plpgsql stable strict parallel safe rows 2 as $$
   declare
     width bigint := ${schema}.activity_width();
     runs int4range[] := array(select unnest(${schema}.decode_activity(a.activity))
       from ${schema}.accounts a where a.id = account);
     last int := cardinality(runs);
   begin
     for i in 1 .. last loop
       from_lt := lower(runs[case when descending then last + 1 - i else i end]) * width;
       to_lt := upper(runs[case when descending then last + 1 - i else i end]) * width - 1;
       return next;
     end loop;
   end $$`,
]
