/** Which blocks are indexed, and of which network. */
export const PROGRESS: readonly string[] = [
  `create table indexed_ranges (
    from_seqno integer primary key,
    to_seqno integer not null,
    check (to_seqno >= from_seqno)
  )`,

  `create table quarantine (
    shard bigint not null,
    lt bigint,
    created_at timestamptz not null default now(),
    workchain integer not null,
    seqno integer not null,
    mc_seqno integer not null,
    root_hash bytea not null,
    file_hash bytea not null,
    kind text not null check (kind in ('block', 'transaction', 'state')),
    hash bytea not null,
    account bytea,
    error text not null,
    tried_with text not null,
    bytes bytea,
    primary key (workchain, shard, seqno, root_hash, kind, hash)
  )`,
  'create index quarantine_mc_seqno on quarantine (mc_seqno)',

  `create table ingest_status (
    id integer primary key check (id = 1),
    head_seqno integer not null,
    first_seqno integer not null,
    reported_at timestamptz not null
  )`,

  `create table network (
    id integer primary key check (id = 1),
    global_id integer,
    root_hash bytea not null,
    file_hash bytea not null
  )`,
]
