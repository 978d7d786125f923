/** What is indexed, and which chain it is. */
export const PROGRESS: readonly string[] = [
  `create table indexed_ranges (
    from_seqno integer primary key,
    to_seqno integer not null,
    check (to_seqno >= from_seqno)
  )`,

  `create table quarantine (
    shard bigint not null,
    created_at timestamptz not null default now(),
    workchain integer not null,
    seqno integer not null,
    mc_seqno integer not null,
    root_hash bytea not null,
    file_hash bytea not null,
    error text not null,
    bytes bytea not null,
    primary key (workchain, shard, seqno, root_hash)
  )`,

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
