/**
 * Contracts as of each account's newest state. The queues are filled in the transaction that writes a batch,
 * so that no work is lost.
 */
export const CONTRACTS: readonly string[] = [
  // Small and busy: every block inserts and deletes rows.
  `create table refresh_queue (
    account_id bigint primary key,
    lt bigint not null,
    leased_until timestamptz,
    attempts integer not null default 0,
    requeues integer not null default 0
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,

  `create table missing_states (
    account_id bigint primary key,
    lt bigint not null,
    since timestamptz not null default now(),
    what text not null
  )`,
  'create index missing_states_since on missing_states (since)',

  `create table contracts (
    account_id bigint primary key,
    lt bigint not null,
    roles integer not null,
    code_hash bytea,
    data_hash bytea,
    changed_lt bigint not null default 0,
    confirmation_hash uuid
  ) with (fillfactor = 85)`,

  `create table contract_methods (
    code_hash bytea primary key,
    methods integer[] not null
  )`,

  `create table contract_data (
    account_id bigint primary key,
    lt bigint not null,
    data_hash bytea not null,
    boc bytea not null
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.03)`,

  `create table contract_claims (
    named_id bigint not null,
    account_id bigint not null,
    primary key (named_id, account_id)
  )`,
  'create index contract_claims_account on contract_claims (account_id)',

  `create table former_contracts (
    account_id bigint primary key,
    lt bigint not null,
    jetton_id bigint,
    collection_id bigint,
    is_nominator_pool boolean not null default false,
    wallet_owner_id bigint,
    code_hash bytea,
    item_index numeric,
    uri text,
    is_domain boolean not null default false,
    sale_price numeric,
    sale_marketplace_id bigint,
    sale_nft_id bigint,
    sale_owner_id bigint,
    auction_bid numeric,
    auction_marketplace_id bigint,
    auction_nft_id bigint,
    auction_owner_id bigint,
    multisig_id bigint,
    signers bigint[],
    is_pool boolean not null default false,
    asset_1_id bigint,
    asset_2_id bigint
  )`,

  `create table dns_zones (
    suffix text primary key,
    workchain integer not null,
    address bytea not null
  )`,

  `create table network_config (
    id integer primary key check (id = 1),
    key_block_seqno integer not null,
    boc bytea not null
  )`,

  `create table event_queue (
    mc_seqno integer primary key,
    leased_until timestamptz
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,
]
