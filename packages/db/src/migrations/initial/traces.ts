/**
 * Traces and actions. A trace cut off by the edge of the indexed range has a row too; lists show complete
 * traces only, so their indexes exclude the others.
 */
export const TRACES: readonly string[] = [
  `create table traces (
    start_lt bigint not null,
    end_lt bigint not null,
    mc_seqno_start integer not null,
    mc_seqno_end integer not null,
    start_utime integer not null,
    end_utime integer not null,
    nodes integer not null,
    edges integer not null,
    pending_edges integer not null,
    state smallint not null,
    trace_id bytea not null,
    external_hash bytea,
    external_hash_norm bytea
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  'create index traces_end_lt on traces (end_lt) where state = 0',
  'create index traces_end_utime on traces (end_utime) where state = 0',
  // The list of an account's traces follows its transactions, and only a long trace can end far from them.
  // The bounds are those of `LONG` in packages/queries.
  'create index traces_long on traces (end_lt) where (state = 0) and (((end_lt - start_lt) > 100000000) or ' +
    '((end_utime - start_utime) > 120))',
  'create index traces_mc_seqno_end on traces (mc_seqno_end) where state = 0',
  // No primary key: nothing lists traces by id, and a hash index takes 12 bytes per transaction instead of
  // 26. The lock under which traces are written keeps ids unique.
  'create index traces_trace_id on traces using hash (trace_id) with (fillfactor = 90)',

  `create table unclassified_traces (
    end_lt bigint not null,
    trace_id bytea primary key,
    queued_at timestamptz not null default now()
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  'create index unclassified_traces_end_lt on unclassified_traces (end_lt)',

  `create table changed_facts (
    account_id bigint primary key,
    below_lt bigint
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,

  `create table asked_facts (
    account_id bigint not null,
    trace_id bytea not null,
    primary key (account_id, trace_id)
  )`,

  // `json` rather than `jsonb`, because comments may hold any character, U+0000 included.
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
  'create index actions_by_type on actions (type, trace_end_lt)',
  'create index actions_by_utime on actions (trace_end_utime, trace_id, end_utime, action_id)',
  'create index actions_id on actions using hash (action_id)',
  'create index actions_mc_seqno on actions (trace_mc_seqno_end)',

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
