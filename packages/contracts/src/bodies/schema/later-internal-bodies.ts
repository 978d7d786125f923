/**
 * Bodies of internal messages, groups 6 to 11, which apply only when no earlier group has the opcode. See
 * `bodies.ts`.
 */
export const LATER_INTERNAL_BODIES = `
# group 6: internal bodies
00000001 evaa_supply_master{query_id u64, include_user_code BoolExtended, supply_amount EvaaAmount,
  recipient_address addrInt, forward_ton_amount EvaaAmount, custom_response_payload cell}
00000002 evaa_withdraw_master{query_id u64, asset_id EvaaAssetId, amount EvaaAmount, recipient_addr addrInt,
  include_user_code BoolExtended, forward_ton_amount EvaaAmount, custom_response_payload cell,
  prices_with_signature_packed ^PricesPacked}
00000006 pyth_parse_unique_price_feed_updates{update_data cell, price_ids cell, publish_time u64,
  max_staleness u64, target_address addr, custom_payload cell}
0000000f evaa_revert_call{query_id u64, owner_address addrInt, revert_body cell}
00000011 evaa_supply_user{query_id u64, asset_id EvaaAssetId, supply_amount_current EvaaAmount, s_rate
  EvaaSbRate, b_rate EvaaSbRate, dust u64, max_token_amount u64, total_supply EvaaPrincipal, total_borrow
  EvaaPrincipal, tracking_supply_index EvaaTrackingIndex, tracking_borrow_index EvaaTrackingIndex,
  custom_response_payload cell, "" ^{subaccount_id i16, return_repay_remainings_flag BoolExtended,
  custom_payload_recipient addrInt, custom_payload_saturation_flag BoolExtended, initial_sender addrInt}}
00000021 evaa_withdraw_user{query_id u64, asset_id EvaaAssetId, withdraw_amount_current EvaaAmount, s_rate
  EvaaSbRate, b_rate EvaaSbRate, recipient_address addrInt, "" ^{asset_config_collection
  AssetConfigCollection, asset_dynamics_collection AssetDynamicsCollection, prices_packed ^PricesPacked,
  forward_ton_amount EvaaAmount, custom_response_payload cell}}
0000011a evaa_supply_success{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount_supplied
  EvaaAmount, user_new_principal EvaaPrincipal, repay_amount_principal EvaaPrincipal, supply_amount_principal
  EvaaPrincipal, custom_response_payload cell, subaccount_id i16, return_repay_remainings_flag BoolExtended,
  "" ^{custom_payload_recipient addr}, custom_payload_saturation_flag BoolExtended}
0000011f evaa_supply_fail{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount EvaaAmount,
  forward_ton_amount EvaaAmount, custom_response_payload cell, subaccount_id i16, return_repay_remainings_flag
  BoolExtended, "" ^{initial_sender addrInt}}
00000211 evaa_withdraw_collateralized{query_id u64, owner_address addrInt, asset_id EvaaAssetId,
  withdraw_amount_current EvaaAmount, user_new_principal EvaaPrincipal, borrow_amount_principal EvaaPrincipal,
  reclaim_amount_principal EvaaPrincipal, "" ^{recipient_address addrInt, forward_ton_amount EvaaAmount,
  custom_response_payload cell}}
000011ae evaa_supply_excess{query_id u64}
0000211a evaa_withdraw_success_excess_with_data{query_id u64, custom_response_payload cell}
0000211f evaa_withdraw_fail{query_id u64, asset_id EvaaAssetId, principal_amount EvaaPrincipal}
000021e6 evaa_withdraw_locked_excess{query_id u64}
000021e7 evaa_withdraw_not_collateralized_excess{query_id u64}
000021e8 evaa_withdraw_missing_prices_excess{query_id u64}
000021ec evaa_withdraw_execution_crashed{query_id u64}
00011ae1 evaa_supply_fail_with_data{query_id u64, custom_response_payload cell}
00211fe8 evaa_withdraw_no_funds_excess{query_id u64}
0168d4b7 jvault_unstake_request{query_id u64, jettons_to_unstake coins}
076ee4e0 jvault_update_referrer{rest rest}
107e0000 evaa_user_execute_action{extra rest}
299a3e15 teleitem_msg_deploy_head{sender_address addrInt, bid grams}
383411ea jvault_set_data{rest rest}
44bc1fe3 jvault_send_claimed_rewards{rest rest}
499a9262 jvault_unstake_jettons{query_id u64, jettons_to_unstake coins, force_unstake bool}
55c35b40 jvault_request_update_referrer{rest rest}
6c6c2080 sale_update_message{query_id u64, new_full_price coins, new_mp_fee coins, new_royalty_amount coins}
7258a69b vesting_add_white_list{query_id u64, addresses_ref_snake rest}
78d9f109 jvault_claim_rewards_msg{query_id u64, jettons_to_claim dict<267,u1>}
a7733acd vesting_send_message{query_id u64, send_mode u8, message ^MessageRelaxed<rest>}
ae9307ce jvault_update_rewards{rest rest}
d68a4ac1 jvault_receive_jettons{query_id u64, min_deposit coins, max_deposit coins, unstake_commission u16,
  unstake_fee coins, whitelist dict<267,u1>, received_jettons coins}
f258a69b vesting_add_white_list_response{query_id u64}
f5c5baa3 jvault_request_update_rewards{rest rest}
f7733acd vesting_send_message_response{query_id u64}
# group 7: internal bodies
-/0 evaa_liquidate_fail_report{error LiquidationMasterError, custom_response_payload cell}
00000001 evaa_supply_master{query_id u64, include_user_code BoolExtended, supply_amount EvaaAmount,
  recipient_address addrInt, custom_response_payload cell, supply_master_optional SupplyMasterOptional}
00000003 evaa_liquidate_master{query_id u64, borrower_address addrInt, liquidator_address addr,
  collateral_asset_id EvaaAssetId, min_collateral_amount EvaaAmount, include_user_code BoolExtended,
  liquidate_incoming_amount EvaaAmount, "" ^{forward_ton_amount EvaaAmount, custom_response_payload cell},
  prices_with_signature_packed ^PricesPacked}
00000005 pyth_parse_price_feed_updates{update_data cell, price_ids cell, min_publish_time u64,
  max_publish_time u64, target_address addr, custom_payload cell}
00000006 pyth_parse_unique_price_feed_updates{number_of_price_feeds u8, price_feeds cell, sender_address addr,
  custom_payload rest}
00000008 evaa_idle_master{query_id u64, target_address addrInt}
00000011 evaa_supply_user{query_id u64, asset_id EvaaAssetId, supply_amount_current EvaaAmount, s_rate
  EvaaSbRate, b_rate EvaaSbRate, dust u64, max_token_amount u64, total_supply EvaaPrincipal, total_borrow
  EvaaPrincipal, tracking_supply_index EvaaTrackingIndex, tracking_borrow_index EvaaTrackingIndex,
  forward_ton_amount EvaaAmount, custom_response_payload cell}
00000031 evaa_liquidate_user{query_id u64, asset_config_collection AssetConfigCollection,
  asset_dynamics_collection AssetDynamicsCollection, "" ^{prices_packed ^PricesPacked, collateral_asset_id
  EvaaAssetId, min_collateral_amount EvaaAmount, liquidator_address addrInt, transferred_asset_id EvaaAssetId,
  transfered_amount EvaaAmount, forward_ton_amount coins, custom_response_payload cell}}
00000041 evaa_supply_withdraw_user{query_id u64, supply_data ^SWSupplyUser, withdraw_data ^SWWithdrawUser,
  general_data ^SupplyWithdrawUserParams}
00000081 evaa_idle_user{query_id u64, tokens_keys cell?, originator_address addrInt}
000000a1 evaa_init_master{query_id u64, new_asset_config_collection ^AssetConfigCollection, packed_data
  ^InitMasterPackedData}
000000a2 evaa_claim_asset_reserves{query_id u64, target_address addrInt, asset_id EvaaAssetId, amount_to_claim
  EvaaAmount}
000000c1 evaa_init_upgrade{query_id u64, new_master_code cell?, new_user_code cell?}
000000c2 evaa_submit_upgrade{query_id u64}
000000c3 evaa_cancel_upgrade{query_id u64}
000000e1 evaa_force_enable{query_id u64}
000000e4 evaa_update_config{query_id u64, new_meta cell, new_config ^MasterConfig}
000000e8 evaa_disable_contract_for_upgrade{query_id u64}
000000e9 evaa_force_disable_contract{query_id u64}
0000011a evaa_supply_success{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount_supplied
  EvaaAmount, user_new_principal EvaaPrincipal, repay_amount_principal EvaaPrincipal, supply_amount_principal
  EvaaPrincipal, custom_response_payload cell}
0000011f evaa_supply_fail{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount EvaaAmount,
  forward_ton_amount EvaaAmount, custom_response_payload cell}
00000211 evaa_withdraw_collateralized{query_id u64, owner_address addrInt, asset_id EvaaAssetId,
  withdraw_amount_current EvaaAmount, user_new_principal EvaaPrincipal, borrow_amount_principal EvaaPrincipal,
  reclaim_amount_principal_optional rest}
00000311 evaa_liquidate_satisfied{query_id u64, owner_address addrInt, liquidator_address addrInt,
  transferred_asset_id EvaaAssetId, "" ^{delta_loan_principal EvaaPrincipal, liquidatable_amount EvaaAmount,
  protocol_gift EvaaAmount, new_user_loan_principal EvaaPrincipal, collateral_asset_id EvaaAssetId,
  delta_collateral_principal EvaaPrincipal, collateral_reward EvaaAmount, min_collateral_amount EvaaAmount,
  new_user_collateral_principal EvaaPrincipal, forward_ton_amount coins, custom_response_payload cell}}
0000031f evaa_liquidate_unsatisfied{query_id u64, owner_address addrInt, liquidator_address addrInt,
  transferred_asset_id EvaaAssetId, "" ^{transferred_amount EvaaAmount, collateral_asset_id EvaaAssetId,
  min_collateral_amount EvaaAmount, forward_ton_amount coins, custom_response_payload cell, error
  LiquidationError}}
00000401 evaa_supply_withdraw_master_without_prices{query_id u64, "" SupplyWithdrawMasterParams}
00000411 evaa_supply_withdraw_satisfied{query_id u64, supply_data ^SupplyWithdrawSatisfiedSupplyData,
  withdraw_data ^SupplyWithdrawSatisfiedWithdrawData, general_data ^SWGeneralUser}
0000041f evaa_supply_withdraw_unsatisfied{query_id u64, supply_data ^SupplyWithdrawUnsatisfiedSupplyData,
  withdraw_data ^SWWithdrawEmpty, general_data ^SupplyWithdrawUnsatisfiedGeneralData}
0000081e evaa_idle_excess{query_id u64}
00000a32 evaa_add_new_token{query_id u64, asset_key EvaaAssetId, new_asset_config ^AssetConfig,
  new_asset_dynamics ^AssetDynamics}
00000a99 evaa_add_to_reserve{rest rest}
00000d21 evaa_debug_principals_edit_user{query_id u64, new_principals dict<256,EvaaPrincipal>}
0000211a evaa_withdraw_success_excess_with_data{query_id u64, custom_response_payload rest}
0000311a evaa_liquidate_success{query_id u64, transferred_asset_id EvaaAssetId, delta_loan_principal
  EvaaPrincipal, loan_tracking_supply_index EvaaTrackingIndex, loan_tracking_borrow_index EvaaTrackingIndex,
  collateral_asset_id EvaaAssetId, delta_collateral_principal EvaaPrincipal, collateral_tracking_supply_index
  EvaaTrackingIndex, collateral_tracking_borrow_index EvaaTrackingIndex}
0000311d evaa_liquidate_success_report{transferred_asset_id EvaaAssetId, transferred_amount EvaaAmount,
  collateral_asset_id EvaaAssetId, collateral_reward EvaaAmount, custom_response_payload cell}
0000311f evaa_liquidate_fail{query_id u64, transferred_asset_id EvaaAssetId, delta_loan_principal
  EvaaPrincipal, collateral_asset_id EvaaAssetId, delta_collateral_principal EvaaPrincipal}
0000411a evaa_supply_withdraw_success{query_id u64, supply_data ^SupplyWithdrawSuccessSupplyData,
  withdraw_data ^SupplyWithdrawSuccessWithdrawData, general_data ^SupplyWithdrawSuccessGeneralData}
0000411f evaa_supply_withdraw_fail{query_id u64, supply_data ^SupplyWithdrawFailSupplyData, withdraw_data
  ^SupplyWithdrawFailWithdrawData, general_data ^SupplyWithdrawFailGeneralData}
00009998 evaa_get_store_request{query_id u64, body_data cell}
00009999 evaa_get_store_response{query_id u64, body_data cell, storage MasterStorage}
0000d001 evaa_do_data_checks{query_id u64}
00010001 pyth_response_success{result cell, original_custom_payload cell}
00010002 pyth_response_error{error_code u32, original_op_code u32, original_custom_payload cell}
# group 8: internal bodies
00000001 evaa_supply_master{query_id u64, include_user_code BoolExtended, supply_amount EvaaAmount,
  recipient_address addrInt, custom_response_payload cell, supply_master_optional rest}
00000003 evaa_liquidate_master{query_id u64, borrower_address addrInt, liquidator_address addr,
  collateral_asset_id EvaaAssetId, min_collateral_amount EvaaAmount, include_user_code BoolExtended,
  liquidate_incoming_amount EvaaAmount, "" ^{forward_ton_amount EvaaAmount, custom_response_payload cell}}
0000011a evaa_supply_success{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount_supplied
  EvaaAmount, user_new_principal EvaaPrincipal, repay_amount_principal EvaaPrincipal, custom_response_payload
  rest}
0085f5a3 dedust_upgrade_operator{query_id u64, role DedustRole}
16cb7fc2 dedust_cancel_ownership_transfer{query_id u64}
1be6df93 dedust_change_operator_user_addr{query_id u64, role DedustRole, user_addr addrInt}
21cfe02b dedust_create_vault{query_id u64, asset DedustAsset}
25d66911 dedust_upgrade_vault{query_id u64, asset DedustAsset}
30c7219b blum_memepad_send_liq_log{ton_liq_amount coins, jetton_liq_amount coins}
6578746e w5_extension_action_request{rest rest}
67617302 gas_pump_buy_log{buyer_address addr, input_ton_amount coins, ton_amount coins, jetton_amount coins,
  fee_ton_amount coins, bonding_curve_overflow bool}
67617303 gas_pump_sell_log{seller_address addr, ton_amount coins, jetton_amount coins, fee_ton_amount coins}
67617305 gas_pump_send_to_pool_log{ton_amount coins, jetton_amount coins, fee_ton_amount coins}
67617306 gas_pump_change_trade_state_log{old_trade_state u16, new_trade_state u16}
7369676e w5_external_signed_request{rest rest}
73696e74 w5_internal_signed_request{rest rest}
742b36d8 blum_memepad_sell{query_id u64, amount coins, min_recieve coins, refferal rest}
97d51f2f dedust_create_volatile_pool{query_id u64, asset0 DedustAsset, asset1 DedustAsset}
9f3f0937 dedust_reset_gas{query_id u64}
a3e45df1 dedust_install_pool_code{query_id u64, code_version DedustVersion, code cell}
ae42e5a4 highload_v3_internal_request{rest rest}
af750d34 blum_memepad_buy{query_id u64, min_recieve coins, receiver addr, refferal rest}
b9d29997 dedust_deploy_operator{query_id u64, role DedustRole, user_addr addrInt}
bc3f26f6 dedust_install_vault_code{query_id u64, asset_type DedustAssetType, code_version DedustVersion, code
  cell}
c9a5752d dedust_create_legacy_jetton_vault{query_id u64, minter_addr addrInt, resolver_addr addrInt}
ca61554e dedust_transfer_ownership{query_id u64, new_owner_addr addr}
ceac8af4 blum_memepad_buy_log{buyer_address addr, tons_consumed coins, supply_delta coins, new_supply coins,
  collected_ton_liq coins, refferal rest}
dee60404 dedust_accept_ownership{query_id u64}
df4a27aa dedust_upgrade{query_id u64, code_version DedustVersion, code cell}
e505d21a dedust_install_operator_code{query_id u64, code_version DedustVersion, code cell}
ef2e2def blum_memepad_sell_log{seller_address addr, ton_value coins, supply_delta coins, new_supply coins,
  collected_ton_liq coins, refferal rest}
f0fd50bb blum_memepad_unlock_wallet{query_id u64}
# group 9: internal bodies
0b429f52 dedust_collect_fees{query_id u64, asset0_amount coins, asset0_destination addrInt, asset0_payload
  cell?, asset1_amount coins, asset1_destination addr, asset1_payload cell?}
166cedee dedust_cancel_deposit{query_id u64, payload cell?}
26c63ab7 dedust_reset_gas_v2{query_id u64, response_destination addrInt}
474f86cf dedust_payout{query_id u64, payload cell?}
48e5a95d dedust_set_user_addr{query_id u64, user_addr addr}
53e252ae dedust_upgrade_pool{query_id u64, pool_params DedustPoolParams}
54240fe5 dedust_deposit_asset{query_id u64, asset DedustAsset, amount coins}
59317e9a dedust_sync_pool_asset_quote{query_id u64, pool_addr addrInt, asset DedustAsset}
61ee542d dedust_swap_external{query_id u64, proof ^DedustVaultProof, amount coins, sender_addr addrInt,
  current DedustSwapStepParams, swap_params ^DedustSwapParams}
6873c90c dedust_sync_asset_quote{query_id u64, asset DedustAsset}
6b0b787f dedust_pay_out_from_deposit{query_id u64, proof ^DedustLiquidityDepositProof, amount coins, payload
  cell?}
6e24728d dedust_provide_pool_state{query_id u64, include_assets bool}
72aca8aa dedust_swap_peer{query_id u64, proof ^DedustPoolProof, asset DedustAsset, amount coins, sender_addr
  addrInt, current DedustSwapStepParams, swap_params ^DedustSwapParams}
7c40ac87 dedust_create_stable_pool{query_id u64, asset0 DedustAsset, asset0_decimals u8, asset1 DedustAsset,
  asset1_decimals u8}
7ed7f6ce dedust_configure_start_time{query_id u64, start_at DedustTimestamp}
817462a9 dedust_sync_fee_collector_addr{query_id u64, pool_addr addrInt}
8a518d0d dedust_destroy_non_ready_vault{query_id u64, asset DedustAsset}
99a84311 dedust_install_liquidity_deposit_code{query_id u64, code_version DedustVersion, code cell}
9b3aa3fa dedust_install{query_id u64, blank_code cell, code_version DedustVersion, code cell, extra_params
  rest}
9d65482b dedust_destroy_non_ready{query_id u64}
a805f43e dedust_configure_pool_asset_quote_provider{query_id u64, pool_addr addrInt, asset DedustAsset,
  quote_provider_addr addr}
a913dc0d dedust_take_vault_state{query_id u64, is_ready bool}
aae79256 dedust_fulfill_deposit{query_id u64, proof ^DedustPoolProof, asset0_deposit coins, asset1_deposit
  coins}
abb46b3d dedust_configure_quote_provider{query_id u64, asset DedustAsset, quote_provider_addr addr}
ad4eb6f5 dedust_pay_out_from_pool{query_id u64, proof ^DedustPoolProof, amount coins, recipient_addr addr,
  payload cell?}
b56b9598 dedust_deposit_liquidity_all{query_id u64, proof ^DedustLiquidityDepositProof, owner_addr addrInt,
  min_lp_amount coins, "" ^{asset0 DedustAsset, asset0_amount coins, asset1 DedustAsset, asset1_amount coins},
  fulfill_payload cell?, reject_payload cell?}
bddd4954 dedust_take_pool_state{query_id u64, reserve0 coins, reserve1 coins, total_supply coins, assets
  ^{asset0 DedustAsset, asset1 DedustAsset}?}
c015297f dedust_configure_trade_fee{query_id u64, trade_fee u16}
d55e4686 dedust_deposit_liquidity{query_id u64, amount coins, pool_params DedustPoolParams, min_lp_amount
  coins, asset0_target_balance coins, asset1_target_balance coins, fulfill_payload cell?, reject_payload
  cell?}
e1a36cd4 dedust_reject_deposit{query_id u64, proof ^DedustPoolProof, payload cell?}
e93405b9 dedust_provide_vault_state{query_id u64}
ea06185d dedust_swap{query_id u64, amount coins, "" DedustSwapStep, swap_params ^DedustSwapParams}
eda15922 dedust_configure_fee_collector_addr{query_id u64, fee_collector_addr addrInt}
f04ec526 dedust_create_liquidity_deposit{query_id u64, proof ^DedustVaultProof, owner_addr addrInt,
  pool_params DedustPoolParams, "" ^{asset0_target_balance coins, asset1_target_balance coins, deposit_asset
  DedustAsset, deposit_amount coins, min_lp_amount coins}, fulfill_payload cell?, reject_payload cell?}
f1989255 dedust_forward{query_id u64, destination addrInt, body cell}
# group 10: internal bodies
0302cd79 storm_deploy_ordinary_sa{query_id u64, user_public_keys dict<256,rest>}
04db6665 storm_change_lazer_data{query_id u64, response_destination addrInt, oracle_flag StormOracleType,
  index_asset_pyth_id u32, settlement_asset_pyth_id u32}
0b9d20cc storm_change_cold_key_factory{query_id u64, new_cold_key u256}
0c6ca95e storm_update_sa_ordinary_code{query_id u64, version u8, new_code cell}
0ef28735 storm_change_max_leverage{query_id u64, response_destination addrInt, new_max_leverage u32}
13076670 storm_provide_position{direction u1, gas_to_addr addr, inner_opcode u32, executor_index u32,
  oracle_ref ^StormOraclePayload}
13559d58 storm_change_factory_content{query_id u64, new_content cell}
174c830c storm_change_lazer_data_request{query_id u64, vamm_address addrInt, oracle_flag StormOracleType,
  index_asset_pyth_id u32, settlement_asset_pyth_id u32}
179d61f9 storm_change_factory_code{query_id u64, new_code cell}
186b2edf storm_deposit_notify{query_id u64, amount coins, sender_address addrInt, jetton_minter_address
  addrInt}
18a092f7 storm_deposit_notify_with_deploy{query_id u64, vault_address addrInt, amount coins, sender_address
  addrInt, init_data StormInitializationData}
1bd24ca6 storm_change_hot_key_factory{query_id u64, new_hot_key u256}
1bea50f1 storm_take_position_v2{query_id u64, bundle_sender_address addr, amm_address addrInt, direction
  StormDirection, spent_amount coins, addresses ^StormAddressesData, ref_count u4, ref_data
  StormReferralData@if(ref_count), position ^StormPositionData, intent ^StormIntent}
1ca43d2f storm_notify_update_position{query_id u64, jetton_minter_address addrInt, notification_payload
  ^StormNotificationPayload}
20d835c2 storm_withdraw_success{query_id u64}
220c4c19 storm_add_public_key{query_id u64, public_key u256}
28055719 storm_change_max_leverage_request{query_id u64, vamm_address addrInt, new_max_leverage u32}
28d36491 storm_trade_notification_v2{query_id u64, asset_id u16, free_amount i64, locked_amount i64,
  exchange_amount i64, withdraw_locked_amount u64, fee_to_stakers u64, executor_amount u64,
  total_referrer_amount u64, ref_count u4, referral_data dict<4,StormReferrerData>, sa_address addrInt,
  notification_payload ^StormNotificationPayload}
29bb3721 storm_deposit_native{query_id u64, amount coins, receiver_address addrInt, init bool, key_init
  StormInitializationRequest}
3475fdd2 storm_trade_notification{asset_id u16, free_amount i64, locked_amount i64, exchange_amount i64,
  withdraw_locked_amount u64, fee_to_stakers u64, withdraw_amount u64, trader_addr addrInt, origin_addr
  addrInt, referral_data ^StormNotificationReferralParams?, executor_params ^StormNotificationExecutorParams?}
367f2743 storm_fail_notification{query_id u64, spent_amount coins, jetton_minter_address addrInt, amm_address
  addrInt, direction StormDirection, bundle_sender_address addr, intent ^StormIntent}
3e56c929 storm_change_v3_state{query_id u64}
4fedc82b storm_referral_fees{query_id u64, referral_sa_address addrInt, amount coins, jetton_minter_address
  addrInt, notification_payload ^StormNotificationPayload}
512cbd25 storm_withdraw_request{query_id u64, amount coins, owner_address addrInt}
5a091c43 storm_deposit_ton{query_id u64}
5a89f5a2 storm_notify_with_deploy{query_id u64, amount coins, user_public_keys dict<256,rest>, sender_address
  addrInt, owner_address addrInt, jetton_minter_address addrInt}
5a8cf652 storm_force_close_min_margin{executor_index u32, oracle_payload ^StormOraclePayload}
5b0dd9f4 storm_init_sa{query_id u64, init_data StormInitializationData}
5b27f9c5 storm_deposit_revert{query_id u64, amount coins, sender_address addr, owner_address addrInt}
5b705138 storm_force_close_max_leverage{executor_index u32, oracle_payload ^StormOraclePayload}
5f40f1ec storm_execute_orders_bundle{query_id u64, signature b512, payload ^StormExternalMsgPayload}
60dfc677 storm_update_position{direction StormDirection, origin_op u32, oracle_price coins,
  settlement_oracle_price coins, new_position_ref ^StormPositionData, amm_state_log ^StormAmmStateLog}
644794b8 storm_remove_all_keys_except_current{query_id u64, public_key u256}
666392ee storm_failed_bundle_execution{query_id u64, asset_id u16, error_code u16, spent_amount coins,
  sa_address addrInt, amm_address addrInt, direction StormDirection, bundle_sender_address addr, intent
  ^StormIntent}
6cde12e2 storm_unsuccessful_deposit{query_id u64}
6eec039d storm_withdraw_request_user{query_id u64, vault_address addrInt, amount coins}
70246da6 storm_change_cold_key{query_id u64, response_destination addr, new_cold_key u256}
76519f8b storm_remove_public_key{query_id u64, public_key u256}
76840119 storm_deposit_jetton{query_id u64, receiver_address addrInt, init bool, key_init
  StormInitializationRequest}
7a0bda1c storm_change_cold_key_request{query_id u64, sa_address addrInt}
cf90d618 storm_complete_order{order_type u4, order_index u3, direction StormDirection, origin_op u32,
  oracle_price coins, settlement_oracle_price coins, new_position_ref ^StormPositionData, amm_state_log
  ^StormAmmStateLog, market_depth_log_ref ^StormMarketDepth}
de1ddbcc storm_execute_order{direction StormDirection, order_index u3, trader_addr addrInt, prev_addr addrInt,
  ref_addr addr, executor_index u32, order ^StormUserOrder, position ^StormPositionData, oracle_payload
  ^StormOraclePayload}
# group 11: internal bodies
022fa189 cocoon_change_params{query_id u64, price_per_token coins, worker_fee_per_token coins,
  proxy_delay_before_close u32, client_delay_before_close u32, min_proxy_stake coins, min_client_stake coins}
08e7d036 cocoon_worker_proxy_payout_request{worker_part coins, proxy_part coins, send_excesses_to addr}
11aefd51 cocoon_upgrade_code{query_id u64, new_code cell}
2565934c cocoon_return_excesses_back{query_id u64}
26ed7f65 cocoon_owner_worker_register{query_id u64, send_excesses_to addr}
3c41d0b2 cocoon_del_proxy_type{query_id u64, proxy_hash u256}
4d725d2c cocoon_worker_proxy_request{query_id u64, owner_address addr, state u2, tokens u64, payload cell?}
4f7c5789 cocoon_upgrade_full{query_id u64, new_data cell, new_code cell}
563c1d96 cocoon_reset_root{query_id u64}
5cfc6b87 cocoon_client_proxy_top_up{top_up_coins coins, send_excesses_to addr}
5d1cd02f tg_wallet_rotation_event{encrypted_prev_private_key b256}
636a4391 cocoon_close_request_payload{query_id u64, expected_my_address addr}
63896e74 tg_wallet_send_one_internal{rest rest}
63896e75 tg_wallet_send_one_external{rest rest}
65448ff4 cocoon_client_proxy_request{query_id u64, owner_address addr, state_data cell, payload cell?}
6a1f6a60 cocoon_owner_client_increase_stake{query_id u64, new_stake coins, send_excesses_to addr}
6d49eaf2 cocoon_unregister_proxy{query_id u64, seqno u32}
71860e80 cocoon_add_proxy_type{query_id u64, proxy_hash u256}
73896e74 tg_wallet_send_bulk_internal{rest rest}
73896e75 tg_wallet_send_bulk_external{rest rest}
7610e6eb cocoon_ext_proxy_payout_request{query_id u64, send_excesses_to addr}
8473b408 cocoon_owner_client_change_secret_hash_and_top_up{query_id u64, top_up_amount coins, new_secret_hash
  u256, send_excesses_to addr}
8d94a79a cocoon_del_worker_type{query_id u64, worker_hash u256}
927c7cb5 cocoon_register_proxy{query_id u64, proxy_info rest}
92b11c18 cocoon_del_model_type{query_id u64, model_hash u256}
9713f187 cocoon_ext_proxy_increase_stake{query_id u64, grams coins, send_excesses_to addr}
9c7924ba cocoon_update_proxy{query_id u64, seqno u32, proxy_addr rest}
a040ad28 cocoon_payout_payload{query_id u64, new_tokens u64, expected_my_address addr}
a2370f61 cocoon_upgrade_contracts{query_id u64, proxy_code cell, worker_code cell, client_code cell}
a35cb580 cocoon_client_proxy_register{}
a9357034 cocoon_owner_client_change_secret_hash{query_id u64, new_secret_hash u256, send_excesses_to addr}
b51d5a01 cocoon_owner_proxy_close{query_id u64, send_excesses_to addr}
bb63ff93 cocoon_charge_payload{query_id u64, new_tokens_used u64, expected_my_address addr}
c146134d cocoon_add_model_type{query_id u64, model_hash u256}
c45f9f3b cocoon_owner_client_register{query_id u64, nonce u64, send_excesses_to addr}
c4a1ae54 cocoon_change_owner{query_id u64, new_owner_address addr}
c52ed8d4 cocoon_change_fees{query_id u64, price_per_token coins, worker_fee_per_token coins}
c59a7cd3 cocoon_payout{query_id u64}
c68ebc7b cocoon_client_proxy_refund_granted{coins coins, send_excesses_to addr}
da068e78 cocoon_owner_client_withdraw{query_id u64, send_excesses_to addr}
e34b1c60 cocoon_add_worker_type{query_id u64, worker_hash u256}
e511abc7 cocoon_close_complete_request_payload{query_id u64, expected_my_address addr}
eba19948 tg_wallet_key_changed{encrypted_old_private_key b256}
efd711e1 cocoon_grant_refund_payload{query_id u64, new_tokens_used u64, expected_my_address addr}
f172e6c2 cocoon_ext_client_top_up{query_id u64, top_up_amount coins, send_excesses_to addr}
f4c354c9 cocoon_client_proxy_refund_force{coins coins, send_excesses_to addr}
f5f26a36 cocoon_last_payout_payload{query_id u64, new_tokens u64, expected_my_address addr}
fafa6cc1 cocoon_owner_client_request_refund{query_id u64, send_excesses_to addr}
fbba99c7 tg_wallet_change_public_key_internal{rest rest}
fbba99c8 tg_wallet_change_public_key_external{rest rest}
`
