/**
 * Proofs, API keys and messages sent by clients; no chain data. `trusted_key_blocks`, `proved_block` and
 * `linked_ranges` may be deleted: they are rebuilt.
 */
export const TRUST: readonly string[] = [
  `create table trusted_key_blocks (
    seqno integer primary key,
    root_hash bytea not null,
    file_hash bytea not null
  )`,

  `create table proved_block (
    id integer primary key check (id = 1),
    seqno integer not null,
    root_hash bytea not null,
    file_hash bytea not null,
    proved_at timestamptz not null default now()
  )`,

  `create table linked_ranges (
    from_seqno integer primary key,
    to_seqno integer not null,
    prev_root_hash bytea not null,
    prev_file_hash bytea not null,
    check (to_seqno >= from_seqno)
  )`,

  `create table proof_conflicts (
    seqno integer not null,
    found_at timestamptz not null default now(),
    stored_root_hash bytea not null,
    stored_file_hash bytea not null,
    proven_root_hash bytea not null,
    proven_file_hash bytea not null,
    evidence jsonb not null,
    primary key (seqno, stored_root_hash, proven_root_hash)
  )`,

  `create table api_keys (
    id integer generated always as identity primary key,
    key_hash bytea not null unique,
    prefix text not null,
    account text not null,
    requests_per_second double precision not null check (requests_per_second > 0),
    global_id integer,
    created_at timestamptz not null default now(),
    disabled_at timestamptz
  )`,

  `create table sent_messages (
    hash_norm bytea primary key,
    boc bytea not null,
    sent_at timestamptz not null default now()
  )`,
  'create index sent_messages_sent_at on sent_messages (sent_at)',
]
