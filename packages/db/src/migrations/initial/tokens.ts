/**
 * Token events, airdrops, and off-chain token metadata. `due_at` of a queue is also its lease: claiming a row
 * postpones it, and the row of a process that died becomes due again.
 */
export const TOKENS: readonly string[] = [
  `create table jetton_transfers (
    account_id bigint not null,
    lt bigint not null,
    source_id bigint not null,
    destination_id bigint,
    jetton_id bigint,
    amount numeric not null,
    forward_amount numeric not null,
    response_id bigint,
    now integer not null,
    aborted boolean not null,
    confirmed boolean not null default false,
    query_id numeric not null,
    custom_payload bytea,
    forward_payload bytea,
    primary key (account_id, lt)
  )`,
  'create index jetton_transfers_destination on jetton_transfers (destination_id, lt) where confirmed and ' +
    'not aborted',
  'create index jetton_transfers_jetton on jetton_transfers (jetton_id, lt) where confirmed and not aborted',
  'create index jetton_transfers_lt on jetton_transfers (lt) where confirmed and not aborted',
  'create index jetton_transfers_now on jetton_transfers (now, lt) where confirmed and not aborted',
  'create index jetton_transfers_source on jetton_transfers (source_id, lt) where confirmed and not aborted',

  `create table jetton_burns (
    account_id bigint not null,
    lt bigint not null,
    owner_id bigint not null,
    jetton_id bigint,
    amount numeric not null,
    response_id bigint,
    now integer not null,
    aborted boolean not null,
    confirmed boolean not null default false,
    query_id numeric not null,
    custom_payload bytea,
    forward_payload bytea,
    primary key (account_id, lt)
  )`,
  'create index jetton_burns_jetton on jetton_burns (jetton_id, lt) where confirmed',
  'create index jetton_burns_lt on jetton_burns (lt) where confirmed',
  'create index jetton_burns_now on jetton_burns (now, lt) where confirmed',
  'create index jetton_burns_owner on jetton_burns (owner_id, lt) where confirmed',

  `create table nft_transfers (
    account_id bigint not null,
    lt bigint not null,
    old_owner_id bigint not null,
    new_owner_id bigint,
    collection_id bigint,
    forward_amount numeric not null,
    response_id bigint,
    now integer not null,
    aborted boolean not null,
    confirmed boolean not null default false,
    query_id numeric not null,
    custom_payload bytea,
    forward_payload bytea,
    primary key (account_id, lt)
  )`,
  'create index nft_transfers_collection on nft_transfers (collection_id, lt) where confirmed',
  'create index nft_transfers_lt on nft_transfers (lt) where confirmed',
  'create index nft_transfers_new_owner on nft_transfers (new_owner_id, lt) where confirmed',
  'create index nft_transfers_now on nft_transfers (now, lt) where confirmed',
  'create index nft_transfers_old_owner on nft_transfers (old_owner_id, lt) where confirmed',

  `create table mintless_claims (
    jetton_id bigint not null,
    owner_id bigint not null,
    wallet_id bigint primary key,
    start_from bigint,
    expire_at bigint,
    amount numeric not null,
    import_no integer not null default 1
  )`,

  `create table mintless_jettons (
    jetton_id bigint primary key,
    custom_payload_api_uri text[],
    airdrop_root bytea,
    confirmation_hash uuid,
    dump_uri text,
    import_no integer not null default 1,
    entries bigint not null default 0,
    imported_at timestamptz,
    due_at timestamptz,
    attempts integer not null default 0,
    fault text
  )`,

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

  // Readers queue nothing while no fetcher runs.
  `create table metadata_fetcher (
    seen_at timestamptz not null,
    id integer primary key check (id = 1)
  )`,
]
