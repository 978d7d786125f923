import { type Kysely, sql } from 'kysely'

/**
 * What contracts are, as of each account's newest state, and the token events of their transactions. One table a role, one row a contract,
 * guarded by lt. `refresh_queue` and `event_queue` are filled in the transaction that writes a batch, so that no work is ever lost.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** A role's table: account, state that the row tells of, then what the role has. */
const role = (table: string, columns: string): string => `create table ${table} (
    account_id bigint primary key,
    lt bigint not null,
    ${columns},
    code_hash bytea,
    data_hash bytea
  ) with (fillfactor = 85)`

const event = (table: string, columns: string): string => `create table ${table} (
    account_id bigint not null,
    lt bigint not null,
    ${columns},
    response_id bigint,
    now integer not null,
    aborted boolean not null,
    confirmed boolean not null default false,
    query_id numeric not null,
    custom_payload bytea,
    forward_payload bytea,
    primary key (account_id, lt)
  )`

const STATEMENTS = [
  // Small and busy: rows come and go with every block.
  `create table refresh_queue (
    account_id bigint primary key,
    lt bigint not null,
    leased_until timestamptz,
    attempts integer not null default 0
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,
  `create table event_queue (
    mc_seqno integer primary key,
    leased_until timestamptz
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,

  `create table contracts (
    account_id bigint primary key,
    lt bigint not null,
    roles integer not null,
    code_hash bytea,
    data_hash bytea
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

  role(
    'jetton_masters',
    'admin_id bigint, mintable boolean not null, total_supply numeric not null, content jsonb, wallet_code_hash bytea not null',
  ),
  'create index jetton_masters_admin on jetton_masters (admin_id) where admin_id is not null',
  role(
    'jetton_wallets',
    'owner_id bigint not null, jetton_id bigint not null, is_claimed boolean, balance numeric not null',
  ),
  'create index jetton_wallets_owner on jetton_wallets (owner_id, account_id)',
  'create index jetton_wallets_owner_balance on jetton_wallets (owner_id, balance)',
  'create index jetton_wallets_jetton on jetton_wallets (jetton_id, account_id)',
  'create index jetton_wallets_jetton_balance on jetton_wallets (jetton_id, balance)',
  'create index jetton_wallets_balance on jetton_wallets (balance)',
  `create table mintless_claims (
    jetton_id bigint not null,
    owner_id bigint not null,
    wallet_id bigint not null,
    start_from bigint,
    expire_at bigint,
    amount numeric not null,
    primary key (wallet_id)
  )`,
  `create table mintless_jettons (
    jetton_id bigint primary key,
    custom_payload_api_uri text[]
  )`,

  role('nft_collections', 'owner_id bigint, next_item_index numeric not null, content jsonb'),
  'create index nft_collections_owner on nft_collections (owner_id) where owner_id is not null',
  role(
    'nft_items',
    `collection_id bigint, owner_id bigint, real_owner_id bigint, init boolean not null,
     item_index numeric not null, content jsonb`,
  ),
  'create index nft_items_owner on nft_items (owner_id, collection_id, item_index)',
  'create index nft_items_real_owner on nft_items (real_owner_id, collection_id, item_index)',
  'create index nft_items_collection on nft_items (collection_id, item_index)',
  'create index nft_items_lt on nft_items (lt)',
  role(
    'nft_sales',
    `nft_id bigint not null, nft_owner_id bigint, marketplace_id bigint not null, fee_address_id bigint not null, royalty_address_id bigint not null,
     created_at bigint not null, sold_at bigint, is_complete boolean not null, is_factor boolean not null, full_price numeric not null,
     marketplace_fee numeric not null, royalty numeric not null, jetton_prices jsonb`,
  ),
  'create index nft_sales_nft on nft_sales (nft_id)',
  role(
    'nft_auctions',
    `nft_id bigint not null, nft_owner_id bigint, marketplace_id bigint not null, last_member_id bigint, fee_address_id bigint not null,
     royalty_address_id bigint not null, end_time bigint not null, created_at bigint not null, last_bid_at bigint not null,
     end_flag boolean not null, is_canceled boolean not null, last_bid numeric not null, min_step numeric not null,
     fee_factor numeric not null, fee_base numeric not null, royalty_factor numeric not null, royalty_base numeric not null,
     max_bid numeric not null, min_bid numeric not null`,
  ),
  'create index nft_auctions_nft on nft_auctions (nft_id)',
  role(
    'telemint_items',
    `bidder_id bigint, beneficiary_id bigint, royalty_destination_id bigint not null, bid numeric, bid_at numeric, min_bid numeric,
     end_time numeric, initial_min_bid numeric not null, max_bid numeric not null, min_bid_step numeric not null,
     min_extend_time numeric not null, duration numeric not null, royalty_numerator numeric not null, royalty_denominator numeric not null,
     token_name text not null`,
  ),
  role(
    'dns_entries',
    `owner_id bigint, next_resolver_id bigint, wallet_id bigint, last_fill_up_time bigint, domain text not null, site bytea, storage bytea`,
  ),
  'create index dns_entries_wallet on dns_entries (wallet_id) where wallet_id is not null',
  'create index dns_entries_domain on dns_entries (domain)',

  role(
    'multisig_wallets',
    'threshold integer not null, next_order_seqno numeric not null, signers bigint[] not null, proposers bigint[] not null',
  ),
  'create index multisig_wallets_signers on multisig_wallets using gin (signers)',
  'create index multisig_wallets_proposers on multisig_wallets using gin (proposers)',
  role(
    'multisig_orders',
    `multisig_id bigint not null, expiration_date bigint not null, threshold integer not null, approvals_num integer not null,
     sent_for_execution boolean not null, order_seqno numeric not null, approvals_mask numeric not null, signers bigint[] not null,
     order_boc bytea not null`,
  ),
  'create index multisig_orders_multisig on multisig_orders (multisig_id)',
  role(
    'vesting_contracts',
    `sender_id bigint not null, owner_id bigint not null, start_time bigint not null, total_duration bigint not null, unlock_period bigint not null,
     cliff_duration bigint not null, total_amount numeric not null, whitelist bigint[] not null`,
  ),
  'create index vesting_contracts_owner on vesting_contracts (owner_id)',
  'create index vesting_contracts_sender on vesting_contracts (sender_id)',
  'create index vesting_contracts_whitelist on vesting_contracts using gin (whitelist)',
  role(
    'nominator_pools',
    'validator_id bigint not null, state integer not null, nominators_count integer not null, validator_amount numeric not null, stake_amount_sent numeric not null, nominators jsonb not null',
  ),
  role(
    'dex_pools',
    `asset_1_id bigint, asset_2_id bigint, router_id bigint, dex text not null, is_stable boolean, reserve_1 numeric not null, reserve_2 numeric not null,
     fee double precision not null`,
  ),

  event(
    'jetton_transfers',
    'source_id bigint not null, destination_id bigint, jetton_id bigint, amount numeric not null, forward_amount numeric not null',
  ),
  'create index jetton_transfers_lt on jetton_transfers (lt) where confirmed and not aborted',
  'create index jetton_transfers_now on jetton_transfers (now, lt) where confirmed and not aborted',
  'create index jetton_transfers_source on jetton_transfers (source_id, lt) where confirmed and not aborted',
  'create index jetton_transfers_destination on jetton_transfers (destination_id, lt) where confirmed and not aborted',
  'create index jetton_transfers_jetton on jetton_transfers (jetton_id, lt) where confirmed and not aborted',
  event('jetton_burns', 'owner_id bigint not null, jetton_id bigint, amount numeric not null'),
  'create index jetton_burns_lt on jetton_burns (lt) where confirmed',
  'create index jetton_burns_now on jetton_burns (now, lt) where confirmed',
  'create index jetton_burns_owner on jetton_burns (owner_id, lt) where confirmed',
  'create index jetton_burns_jetton on jetton_burns (jetton_id, lt) where confirmed',
  event(
    'nft_transfers',
    'old_owner_id bigint not null, new_owner_id bigint, collection_id bigint, forward_amount numeric not null',
  ),
  'create index nft_transfers_lt on nft_transfers (lt) where confirmed',
  'create index nft_transfers_now on nft_transfers (now, lt) where confirmed',
  'create index nft_transfers_old_owner on nft_transfers (old_owner_id, lt) where confirmed',
  'create index nft_transfers_new_owner on nft_transfers (new_owner_id, lt) where confirmed',
  'create index nft_transfers_collection on nft_transfers (collection_id, lt) where confirmed',

  'create index latest_account_states_code on latest_account_states using hash (code_hash) where code_hash is not null',
  // Few accounts hold 1,000 TON: the ranking reads this, and nothing else of the table is kept in order.
  'create index latest_account_states_balance on latest_account_states (balance) where balance >= 1000000000000',
]
