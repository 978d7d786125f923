import { type Kysely, sql } from 'kysely'

/**
 * What token metadata says outside of the chain, and the work of getting it. `type`: place in TOKEN_TYPES of packages/db. The queue's
 * `due_at` is the lease too: whoever claims a row puts it off, and a process that died leaves a row that becomes due again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table address_metadata (
    account_id bigint not null,
    updated_at timestamptz not null,
    expires_at timestamptz not null,
    type smallint not null,
    valid boolean not null,
    source_hash bytea not null,
    name text,
    symbol text,
    description text,
    image text,
    extra jsonb,
    primary key (account_id, type)
  )`,
  `create table address_metadata_flags (
    account_id bigint primary key,
    is_nsfw boolean not null default false,
    is_scam boolean not null default false
  )`,
  `create table metadata_overrides (
    account_id bigint not null,
    updated_at timestamptz not null default now(),
    type smallint not null,
    content jsonb not null,
    note text,
    primary key (account_id, type)
  )`,
  `create table metadata_queue (
    account_id bigint not null,
    due_at timestamptz not null,
    attempts integer not null default 0,
    type smallint not null,
    priority smallint not null,
    source_hash bytea not null,
    fault text,
    primary key (account_id, type)
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`,
  'create index metadata_queue_due on metadata_queue (priority, due_at)',
  // Readers queue nothing when nobody fetches.
  `create table metadata_fetcher (
    seen_at timestamptz not null,
    id integer primary key check (id = 1)
  )`,
]
