import { type Kysely, sql } from 'kysely'

/** Rows come and go, as in the other queues. */
const QUEUE = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000'

const STATEMENTS: readonly string[] = [
  `create table watched (
    subject text primary key,
    kind smallint not null,
    account_id bigint,
    code_hash bytea,
    is_current boolean not null
  )`,
  `create table partial_ranges (
    subject text not null,
    from_seqno integer not null,
    to_seqno integer not null,
    primary key (subject, from_seqno)
  )`,
  `create table undecided_traces (
    piece bigint primary key,
    due_at timestamp with time zone not null default now(),
    looks integer not null default 0
  ) with (${QUEUE})`,
  'create index undecided_traces_due_at on undecided_traces (due_at)',
  'create table watch_pass (id integer primary key, next_page bigint not null)',
]

/** What is watched, and which traces are still to be looked at for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
