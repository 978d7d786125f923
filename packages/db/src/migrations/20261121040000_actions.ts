import { type Kysely, sql } from 'kysely'

/**
 * Actions of complete traces and who takes part in them. Lists are ordered by the end of the trace, so both tables carry it. What only replies
 * print is one JSON text: `json`, not `jsonb`, because comments of people may hold any character, U+0000 included.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table actions (
    start_lt bigint not null,
    end_lt bigint not null,
    trace_end_lt bigint not null,
    start_utime integer not null,
    end_utime integer not null,
    trace_end_utime integer not null,
    trace_mc_seqno_end integer not null,
    classifier_version smallint not null,
    success boolean not null,
    trace_id bytea not null,
    action_id bytea not null,
    parent_action_id bytea,
    type text not null,
    ancestor_type text[] not null,
    tx_hashes bytea[] not null,
    account_ids bigint[] not null,
    details json not null,
    primary key (trace_id, action_id)
  )`,
  'create index actions_by_lt on actions (trace_end_lt, trace_id, end_lt, action_id)',
  'create index actions_by_utime on actions (trace_end_utime, trace_id, end_utime, action_id)',
  'create index actions_by_type on actions (type, trace_end_lt)',
  'create index actions_mc_seqno on actions (trace_mc_seqno_end)',
  'create index actions_id on actions using hash (action_id)',

  `create table action_accounts (
    account_id bigint not null,
    trace_end_lt bigint not null,
    end_lt bigint not null,
    trace_end_utime integer not null,
    end_utime integer not null,
    trace_id bytea not null,
    action_id bytea not null,
    primary key (account_id, trace_end_lt, trace_id, end_lt, action_id)
  )`,
  'create index action_accounts_by_utime on action_accounts (account_id, trace_end_utime)',
  'create index action_accounts_trace_id on action_accounts using hash (trace_id)',

  `create table classification_failures (
    classifier_version smallint not null,
    trace_id bytea primary key,
    message_hash bytea,
    matcher text not null,
    error text not null,
    stack text
  )`,
]
