import { type Kysely, sql } from 'kysely'

/**
 * The hashes of an action's transactions are one byte string, and null stands for an empty array: the head
 * of an array takes 21 bytes, and each of its hashes four. B-trees store what the actions of a trace, or of a
 * second, have in common once. The table is written anew, offline and in one transaction.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS: readonly string[] = [
  // Before the table is written anew, which would build them too.
  'drop index actions_order_lt, actions_order_utime, actions_trace_id',
  `create function pg_temp.joined(bytea[]) returns bytea immutable language sql as
     $$ select coalesce(string_agg(hash, ''::bytea order by place), '')
        from unnest($1) with ordinality h(hash, place) $$`,
  `alter table actions
     alter column tx_hashes type bytea using pg_temp.joined(tx_hashes),
     alter column ancestor_type drop not null,
     alter column ancestor_type type text[] using nullif(ancestor_type, '{}')`,
  'drop function pg_temp.joined',
  'create index actions_order_lt on actions (trace_end_lt, substr(trace_id, 1, 7))',
  'create index actions_order_utime on actions (trace_end_utime)',
  'create index actions_trace_id on actions (trace_id)',
]
