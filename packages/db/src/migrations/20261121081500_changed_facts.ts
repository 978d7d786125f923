import { type Kysely, sql } from 'kysely'

/**
 * Actions follow from a trace and from what its contracts are known to be. When that changes after a trace was classified, the trace is
 * classified again: these tables say which. Traces that were classified before this migration are all classified once more, because
 * nobody noted what changed since.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Every trace is written into the queue: of a large database that takes longer than an ordinary statement may.
  'set local statement_timeout = 0',
  'alter table unclassified_traces add column queued_at timestamptz not null default now()',
  `create table changed_facts (
    account_id bigint primary key,
    below_lt bigint
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  `create table asked_facts (
    account_id bigint not null,
    trace_id bytea not null,
    primary key (account_id, trace_id)
  )`,
  `insert into unclassified_traces (trace_id, end_lt)
   select trace_id, end_lt from traces where state = 0 and edges > 0 on conflict (trace_id) do nothing`,
]
