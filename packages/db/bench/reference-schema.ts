// Tables of TON Center's indexer, schema 1.2.10, as documented: hashes in base64, addresses as text, a row
// for each end of a message, details of actions as composite columns. Without tables of tokens and queues.

/** Types and functions that the tables and their rows need. */
export const REFERENCE_TYPES = `
  create schema reference;
  set search_path = public, reference;
  create domain reference.h as char(44);
  create domain reference.a as varchar;
  create type reference.account_status as enum ('uninit', 'frozen', 'active', 'nonexist');
  create type reference.descr_type as enum ('ord', 'storage', 'tick_tock', 'split_prepare', 'split_install',
    'merge_prepare', 'merge_install');
  create type reference.skipped_reason as enum ('no_state', 'bad_state', 'no_gas', 'suspended');
  create type reference.status_change as enum ('unchanged', 'frozen', 'deleted');
  create type reference.bounce_type as enum ('negfunds', 'nofunds', 'ok');
  create type reference.direction as enum ('out', 'in');
  create type reference.trace_state as enum ('complete', 'pending', 'broken');
  create type reference.classification_state as enum ('unclassified', 'failed', 'ok', 'broken');
  create type reference.blockid as (workchain int4, shard int8, seqno int4);
  create type reference.ton_transfer_details as (content text, encrypted bool);
  create function reference.b64(bytea) returns text immutable language sql as
    'select replace(encode($1, ''base64''), chr(10), '''')';
  create function reference.address(id int8) returns text stable language sql as
    'select workchain || '':'' || upper(encode(x.address, ''hex'')) from public.accounts x where x.id = $1';
`

/** Families of actions other than transfers of TON: a composite column each, here an array of the values. */
export const FAMILIES = `jetton_transfer nft_transfer jetton_swap change_dns_record nft_mint nft_listing
  dex_withdraw_liquidity dex_deposit_liquidity staking tonco_deploy_pool multisig_create_order
  multisig_approve multisig_execute vesting_send_message vesting_add_whitelist evaa_supply
  evaa_withdraw evaa_liquidate jvault_claim jvault_stake coffee_create_pool coffee_staking_deposit
  coffee_staking_withdraw layerzero_send
  layerzero_packet layerzero_dvn_verify`.split(/\s+/)

export const REFERENCE_TABLES: Readonly<Record<string, string>> = {
  blocks: `workchain int4, shard int8, seqno int4, root_hash h, file_hash h, mc_block_workchain int4,
    mc_block_shard int8, mc_block_seqno int4, global_id int4, version int4, after_merge bool,
    before_split bool,
    after_split bool, want_merge bool, want_split bool, key_block bool, vert_seqno_incr bool, flags int4,
    gen_utime int8, start_lt int8, end_lt int8, validator_list_hash_short int4, gen_catchain_seqno int4,
    min_ref_mc_seqno int4, prev_key_block_seqno int4, vert_seqno int4, master_ref_seqno int4, rand_seed h,
    created_by h, tx_count int4, prev_blocks blockid[], primary key (workchain, shard, seqno)`,
  shard_state: `mc_seqno int4, workchain int4, shard int8, seqno int4,
    primary key (mc_seqno, workchain, shard, seqno)`,
  transactions: `account a, hash h, lt int8, block_workchain int4, block_shard int8, block_seqno int4,
    mc_block_seqno int4, trace_id h, prev_trans_hash h, prev_trans_lt int8, now int4,
    orig_status account_status,
    end_status account_status, total_fees int8, total_fees_extra_currencies jsonb,
    account_state_hash_before h,
    account_state_hash_after h, descr descr_type, aborted bool, destroyed bool, credit_first bool,
    is_tock bool,
    installed bool, storage_fees_collected int8, storage_fees_due int8, storage_status_change status_change,
    credit_due_fees_collected int8, credit int8, credit_extra_currencies jsonb, compute_skipped bool,
    skipped_reason skipped_reason, compute_success bool, compute_msg_state_used bool,
    compute_account_activated bool, compute_gas_fees int8, compute_gas_used int8, compute_gas_limit int8,
    compute_gas_credit int8, compute_mode int2, compute_exit_code int4, compute_exit_arg int4,
    compute_vm_steps int8, compute_vm_init_state_hash h, compute_vm_final_state_hash h, action_success bool,
    action_valid bool, action_no_funds bool, action_status_change status_change, action_total_fwd_fees int8,
    action_total_action_fees int8, action_result_code int4, action_result_arg int4, action_tot_actions int4,
    action_spec_actions int4, action_skipped_actions int4, action_msgs_created int4,
    action_action_list_hash h,
    action_tot_msg_size_cells int8, action_tot_msg_size_bits int8, bounce bounce_type,
    bounce_msg_size_cells int8, bounce_msg_size_bits int8, bounce_req_fwd_fees int8, bounce_msg_fees int8,
    bounce_fwd_fees int8, split_info_cur_shard_pfx_len int4, split_info_acc_split_depth int4,
    split_info_this_addr a, split_info_sibling_addr a, primary key (hash, lt)`,
  messages: `tx_hash h, tx_lt int8, mc_seqno int4, msg_hash h, msg_hash_norm h, direction direction,
    trace_id h,
    source a, destination a, value int8, value_extra_currencies jsonb, fwd_fee int8, ihr_fee int8,
    extra_flags numeric, created_lt int8, created_at int8, opcode int4, ihr_disabled bool, bounce bool,
    bounced bool, import_fee int8, body_hash h, init_state_hash h,
    primary key (tx_hash, tx_lt, msg_hash, direction)`,
  message_contents: 'hash h primary key, body text',
  account_states: `hash h primary key, account a, balance int8, balance_extra_currencies jsonb,
    account_status account_status, frozen_hash h, data_hash h, code_hash h`,
  latest_account_states: `id bigserial, account a primary key, account_friendly a, hash h, balance int8,
    balance_extra_currencies jsonb, account_status account_status, timestamp int4, last_trans_hash h,
    last_trans_lt int8, frozen_hash h, data_hash h, code_hash h, data_boc text, code_boc text`,
  traces: `trace_id h primary key, external_hash h, external_hash_norm h, mc_seqno_start int4,
    mc_seqno_end int4, start_lt int8, start_utime int4, end_lt int8, end_utime int4, state trace_state,
    pending_edges_ int8, edges_ int8, nodes_ int8,
    classification_state classification_state default 'unclassified'`,
  actions: `trace_id h, action_id h, start_lt int8, end_lt int8, start_utime int8, end_utime int8, source a,
    source_secondary a, destination a, destination_secondary a, asset a, asset_secondary a, asset2 a,
    asset2_secondary a, opcode int8, tx_hashes h[], type varchar, value numeric, amount numeric,
    ton_transfer_data ton_transfer_details, ${FAMILIES.map((name) => `${name}_data text[]`).join(', ')},
    success bool, trace_end_lt int8, trace_end_utime int8, trace_external_hash h, trace_external_hash_norm h,
    mc_seqno_end int4, trace_mc_seqno_end int4, parent_action_id varchar, ancestor_type varchar[],
    value_extra_currencies jsonb default '{}', primary key (trace_id, action_id)`,
  action_accounts: `action_id h, trace_id h, account a, trace_end_lt int8, action_end_lt int8,
    trace_end_utime int4, action_end_utime int8,
    primary key (account, trace_end_lt, trace_id, action_end_lt, action_id)`,
}

/** Columns of the other indexes. */
export const REFERENCE_INDEXES: Readonly<Record<string, readonly string[]>> = {
  blocks: [
    ...['(gen_utime)', '(mc_block_seqno)', '(seqno) where workchain = -1', '(start_lt)', '(root_hash)'],
    '(file_hash)',
  ],
  transactions: [
    ...['(block_workchain, block_shard, block_seqno)', '(lt)', '(now, lt)', '(account, lt)'],
    ...['(account, now, lt)', '(hash)', '(mc_block_seqno, lt)', '(trace_id, lt)', '(account, trace_id)'],
  ],
  messages: [
    ...['(msg_hash)', '(msg_hash_norm) where msg_hash_norm is not null', '(source, created_lt)'],
    ...['(destination, created_lt)', '(body_hash)', '(trace_id, tx_lt)', '(opcode, created_lt)'],
    ...['(created_lt, msg_hash)', '(created_at, msg_hash)'],
  ],
  latest_account_states: [
    ...['(balance desc) include (account)', '(id)'],
    '(account) include (account_friendly, code_hash, account_status)',
  ],
  traces: [
    ...['(state)', '(mc_seqno_end)', '(classification_state)', '(end_lt desc, trace_id desc)'],
    '(end_utime desc, trace_id desc)',
    "(state, start_lt) include (trace_id, nodes_) where classification_state = 'unclassified'",
  ],
  actions: [
    ...['(end_lt)', '(action_id)', '(trace_id, start_lt, end_lt)', '(trace_end_lt)', '(trace_mc_seqno_end)'],
  ],
  action_accounts: [
    ...['(action_id)', '(trace_id, action_id)'],
    '(account, trace_end_utime, trace_id, action_end_utime, action_id)',
  ],
}
