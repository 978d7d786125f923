/**
 * Columns of the public data lake (ton-studio/ton-etl, datalake/schemas) and of Dune's `ton.*` that datasets
 * of the same name have, with the same meaning. Left out there: times of loading, prices in USD, sources of
 * metadata.
 */
export const PUBLIC_COLUMNS: Readonly<Record<string, string>> = {
  blocks: `workchain shard seqno root_hash file_hash mc_block_workchain mc_block_shard mc_block_seqno
    global_id
    version after_merge before_split after_split want_merge want_split key_block vert_seqno_incr flags
    gen_utime
    start_lt end_lt validator_list_hash_short gen_catchain_seqno min_ref_mc_seqno prev_key_block_seqno
    vert_seqno master_ref_seqno rand_seed created_by tx_count`,
  transactions: `account hash lt block_workchain block_shard block_seqno mc_block_seqno trace_id
    prev_trans_hash
    prev_trans_lt now orig_status end_status total_fees account_state_hash_before account_state_hash_after
    account_state_balance_before account_state_balance_after account_state_code_hash_before
    account_state_code_hash_after descr aborted destroyed credit_first is_tock installed
    storage_fees_collected
    storage_fees_due storage_status_change credit_due_fees_collected credit compute_skipped skipped_reason
    compute_success compute_msg_state_used compute_account_activated compute_gas_fees compute_gas_used
    compute_gas_limit compute_gas_credit compute_mode compute_exit_code compute_exit_arg compute_vm_steps
    compute_vm_init_state_hash compute_vm_final_state_hash action_success action_valid action_no_funds
    action_status_change action_total_fwd_fees action_total_action_fees action_result_code action_result_arg
    action_tot_actions action_spec_actions action_skipped_actions action_msgs_created action_action_list_hash
    action_tot_msg_size_cells action_tot_msg_size_bits bounce bounce_msg_size_cells bounce_msg_size_bits
    bounce_req_fwd_fees bounce_msg_fees bounce_fwd_fees split_info_cur_shard_pfx_len
    split_info_acc_split_depth
    split_info_this_addr split_info_sibling_addr`,
  messages: `tx_hash tx_lt tx_now msg_hash direction trace_id source destination value fwd_fee ihr_fee
    created_lt
    created_at opcode ihr_disabled bounce bounced import_fee body_hash body_boc comment init_state_hash
    init_state_boc`,
  account_states: `account hash balance account_status timestamp last_trans_hash last_trans_lt frozen_hash
    data_hash code_hash data_boc code_boc`,
  balances_history: 'address asset amount mintless_claimed timestamp lt',
  latest_balances: 'address asset amount mintless_claimed last_change_timestamp last_change_lt',
  jetton_events: `type tx_hash tx_lt utime trace_id tx_aborted query_id amount source destination
    jetton_wallet
    jetton_master response_destination custom_payload forward_ton_amount forward_payload comment`,
  nft_transfers: `tx_hash nft_item_address nft_item_index nft_collection_address old_owner new_owner
    response_destination comment trace_id tx_lt tx_now tx_aborted query_id forward_amount custom_payload
    forward_payload`,
  dex_trades: `tx_hash trace_id project_type project version event_time event_type trader_address pool_address
    router_address token_sold_address token_bought_address amount_sold_raw amount_bought_raw referral_address
    platform_tag query_id volume_ton`,
  jetton_metadata: `address update_time_onchain update_time_metadata mintable admin_address
    jetton_content_onchain jetton_wallet_code_hash code_hash metadata_status symbol name description image
    image_data decimals`,
  nft_items: `address is_init index collection_address owner_address content_onchain timestamp lt`,
  nft_metadata: `type address update_time_onchain update_time_metadata parent_address content_onchain
    metadata_status name description image image_data attributes`,
  accounts: `address status last_tx_hash code_hash deployment_tx_hash initial_funding_tx_hash first_tx_sender
    interfaces balance last_tx_at deployment_at initial_funding_at deployment_by_external`,
}
