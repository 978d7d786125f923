/**
 * Names of fields in details, by the number that stands for them in stored rows: new ones are added at the
 * end, and none is ever removed. The first 52 take one byte, so they are those that most rows have.
 */
export const DETAIL_KEYS: readonly string[] = `
  source destination value value_extra_currencies ton_transfer_data content encrypted opcode amount asset
  source_secondary destination_secondary asset_secondary asset2 asset2_secondary jetton_transfer_data
  response_destination forward_amount query_id custom_payload forward_payload comment is_encrypted_comment
  nft_transfer_data nft_item_index is_purchase price marketplace real_prev_owner marketplace_address
  nft_mint_data jetton_swap_data dex sender dex_incoming_transfer dex_outgoing_transfer
  source_jetton_wallet destination_jetton_wallet peer_swaps min_out_amount asset_in amount_in asset_out
  amount_out payout_amount royalty_amount staking_data provider ts_nft tokens_burnt tokens_minted
  nft_listing_data payout_comment_encrypted payout_comment_encoded payout_comment full_price
  marketplace_fee mp_fee_factor mp_fee_base royalty_fee_base max_bid min_bid marketplace_fee_address
  royalty_address amount1 amount2 asset1 user_jetton_wallet_1 user_jetton_wallet_2 lp_tokens_minted
  target_asset_1 target_asset_2 target_amount_1 target_amount_2 vault_excesses tick_lower tick_upper
  nft_index nft_address asset1_out asset2_out dex_jetton_wallet_1 dex_jetton_wallet_2 lp_tokens_burnt
  dex_wallet_1 dex_wallet_2 burned_nft_index burned_nft_address is_refund change_dns_record_data key
  value_schema flags dex_deposit_liquidity_data dex_withdraw_liquidity_data tonco_deploy_pool_data
  jetton0_router_wallet jetton1_router_wallet jetton0_minter jetton1_minter tick_spacing initial_price_x96
  protocol_fee lp_fee_base lp_fee_current pool_active multisig_create_order_data order_seqno
  is_created_by_signer is_signed_by_creator creator_index expiration_date order_boc multisig_approve_data
  signer_index exit_code multisig_execute_data approvals_num signers_hash vesting_send_message_data
  message_boc vesting_add_whitelist_data accounts_added evaa_supply_data is_ton asset_id master
  master_jetton_wallet recipient_jetton_wallet evaa_withdraw_data fail_reason evaa_liquidate_data
  debt_amount jvault_stake_data period stake_wallet jvault_claim_data claimed_jettons claimed_amounts
  coffee_create_pool_data amount_1 amount_2 initiator_1 initiator_2 provided_asset
  coffee_staking_deposit_data minted_item_address minted_item_index coffee_staking_withdraw_data points
  layerzero_send_data send_request_id msglib_manager msglib uln native_fee zro_fee endpoint channel
  layerzero_packet_data src_oapp dst_oapp src_eid dst_eid nonce guid message layerzero_dvn_verify_data
  status dvn proxy uln_connection cocoon_worker_payout_data payout_type new_tokens worker_state
  worker_tokens cocoon_proxy_payout_data cocoon_proxy_charge_data cocoon_client_top_up_data
  cocoon_register_proxy_data cocoon_unregister_proxy_data seqno cocoon_client_register_data
  cocoon_client_change_secret_hash_data new_secret_hash cocoon_client_request_refund_data via_wallet
  cocoon_grant_refund_data cocoon_client_increase_stake_data new_stake cocoon_client_withdraw_data
  withdraw_amount new_tokens_used expected_address change_wallet_key_data new_public_key
  rotation_signature encrypted_old_private_key parent_gasless_action
`
  .trim()
  .split(/\s+/)
