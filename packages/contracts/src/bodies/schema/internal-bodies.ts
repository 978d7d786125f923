/** Bodies of internal messages, groups 0 to 5. Notation and order: `bodies.ts`. */
export const INTERNAL_BODIES = `
# group 0: internal bodies
00000001 evaa_supply_master,pyth_update_guardian_set,w4_deploy_install_plugin{rand JustRandomSalt}
02422cbe bidask_provide_refund{query_id u64, first_range_bin i32, x_excess coins, y_excess coins, user_address
  addr, reject_payload cell?, order bool}
0c09445a bidask_internal_continue_provide{query_id u64, amount_x coins, amount_y coins, excess_x coins,
  excess_y coins, user_address addr, first_bin i32, number_of_bins u32, liquidity_dict dict<32,i32>, lp_tokens
  dict<32,i32>, reject_payload cell?, forward_payload cell?, order bool}
0dc8bb28 bidask_liquidity_added_notify{query_id u64, forward_payload cell?}
0f8a7ea5 jetton_transfer{query_id u64, amount vu16, destination addr, response_destination addr,
  custom_payload cell?, forward_ton_amount vu16, forward_payload (rest | cell)}
10a1ce75 bemo_deploy_unstake_request{query_id u64, owner_address addr, withdraw_ton_amount vu16,
  withdraw_jetton_amount vu16, forward_payload cell?, lockup_timestamp u32}
16e09400 bidask_internal_burn{query_id u64, owner_address addr, amount_x coins, amount_y coins, first_bin i32,
  tokens_to_burn dict<32,i32>, forward_payload cell?}
178d4519 jetton_internal_transfer{query_id u64, amount vu16, from addr, response_address addr,
  forward_ton_amount vu16, forward_payload (rest | cell)}
1bba3896 bidask_swap_fallback_v2{query_id u64, first_range_bin i32, order bool, user_address addr, is_x bool,
  amount_in coins, distributed_x_amount coins, distributed_y_amount coins, additional_data
  ^BidaskAdditionalData?, reject_payload cell?}
214ad1d2 bidask_save_liquidity_info{query_id u64, amount_x coins, amount_y coins, deposit_type u3,
  liquidity_dict dict<32,i32>, reject_payload cell?, forward_payload cell?}
250ad226 bidask_multitoken_mint{query_id u64, ref_1 cell?, ref_2 cell?, liquidity_dict dict<32,i32>,
  number_of_bins u32, forward_payload cell?}
2e04891a cron_reward{rest rest}
2e41d3ac cron_init{rest rest}
370fec51 auction_fill_up{query_id u64}
38633538 bemo_return_unstake_request{lockup_timestamp u32}
3a86f1a0 lock_and_claim{query_id u64, proof cell?}
3d3761a6 hipo_finance_deposit_coins{query_id u64, owner addr, coins vu16, ownership_assigned_amount vu16,
  referrer addr}
42062d62 bidask_burn_payout{query_id u64, first_range_bin i32, amount_x coins, amount_y coins, user_address
  addr, forward_payload cell?}
4253c4d5 bemo_stake{query_id u64, forward_ton_amount vu16, forward_payload cell?}
44beae41 process_governance_decision{query_id u64}
492ab1b3 bemo_unstake{index u64, owner addr, ton_amount vu16, jetton_amount vu16, forward_payload cell?}
4d696e65 gram_submit_proof_of_work{flags u8, expire u32, whom b256, rdata1 b256, rseed u128, rdata2 b256}
4eb1f0f9 change_dns_record{query_id u64, key b256, value ^DNSRecord}
4ed14b65 dns_balance_release{query_id u64}
520e4831 bidask_swap_success{query_id u64, new_current_bin i32, new_sqrt_price u256, order bool, amount_x
  coins, amount_y coins, is_x bool, user_address addr, ref_cell cell?, additional_data cell?, reject_payload
  cell?, forward_payload cell?}
5445efee hipo_finance_tokens_minted{query_id u64, tokens vu16, coins vu16, owner addr, round_since u32}
557cea20 outbid_notification{query_id u64}
56f6110e w5_dns_renewal_calc_and_topup{first_call_time u32, repeat_every u32, salt u32, reward coins,
  owner_address addrInt, renewal_actions_cell cell, topup_amount coins, msg_to_wallet_amount coins}
595f07bc jetton_burn{query_id u64, amount vu16, response_destination addr, custom_payload cell?}
59699475 bidask_internal_continue_swap{query_id u64, to_address addr, order bool, is_x bool, amount_in coins,
  amount_out coins, exact_out coins, slippage (coins | u256), ref_cell cell?, additional_data cell?,
  reject_payload cell?, forward_payload cell?}
5a6a036f bidask_internal_continue_swap_v2{query_id u64, to_address addr, order bool, is_x bool, amount_in
  coins, amount_out coins, exact_out coins, slippage (coins | u256), swap_additional_data
  ^BidaskSwapAdditionalData?, additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload
  cell?}
5be57626 hipo_finance_proxy_tokens_minted{query_id u64, tokens vu16, coins vu16, owner addr, round_since u32}
5c11ada9 daolama_vault_supply{amount coins}
66210c65 bidask_internal_swap{query_id u64, to_address addr, order bool, is_x bool, amount_in coins,
  amount_out coins, exact_out coins, slippage (coins | u256), ref_cell cell?, additional_data cell?,
  reject_payload cell?, forward_payload cell?}
6edd65f0 bidask_native_transfer_notification{query_id u64, native_amount coins, forward_payload cell?}
73403c43 bidask_burn{query_id u64, tokens_to_burn dict<32,i32>, forward_payload cell?}
7aa23eb5 invoice_payload{id b128, url PaymentProviderUrl}
87d36990 bidask_internal_swap_v2{query_id u64, to_address addr, order bool, is_x bool, amount_in coins,
  amount_out coins, exact_out coins, slippage (coins | u256), farming_cell ^BidaskFarmingData?,
  additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
90c80a07 bemo_unstake_notification{query_id u64, forward_payload cell?}
96feef7b bidask_provide{query_id u64, deposit_type u4, liquidity_dict dict<32,i32>, reject_payload cell?,
  forward_payload cell?}
af31d23f bidask_adding_liquidity_notify{query_id u64, user_address addr, amount_x coins, amount_y coins,
  deposit_type u3, liquidity_dict dict<32,i32>, reject_payload cell?, forward_payload cell?}
bbe27821 cron_destroyed{rest rest}
d027efe5 cron_notify{init_state_hash u256, init_state_depth u10}
d1b02ea5 bidask_internal_provide{query_id u64, ref_1 cell?, ref_2 cell?, ref_3 cell?, amount_x coins, amount_y
  coins, to_address addr, dex_payload ^BidaskDexPayload}
d3a25890 bidask_swap_success_v2{query_id u64, new_current_bin i32, new_sqrt_price u256, order bool, amount_x
  coins, amount_y coins, is_x bool, user_address addr, dynamic_fee u16, additional_data
  ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
d55e4686 dedust_deposit_liquidity{query_id u64, amount coins, pool_params DedustPoolParams, deposit_params
  ^DedustDepositLiquidityParams, fulfill_payload cell?, reject_payload cell?}
ebd6ec83 bidask_burn_all{query_id u64, forward_payload cell?}
f2ef6c1b bidask_swap{query_id u64, native_amount coins, to_address addr, slippage (coins | u256), exact_out
  coins, ref_address addr, additional_data cell?, reject_payload cell?, forward_payload cell?}
# group 1: internal bodies
00000000 text_comment{text SnakeString}
00000015 minter_jetton_mint{query_id u64, to_address addr, ton_amount coins, master_msg cell}
0a77535c tonstake_pool_withdrawal{query_id u64}
132f9a45 tonstake_nft_init{query_id u64, owner addr, amount coins, prev addr, next addr}
139a1b4e tonstake_controller_pool_halt{query_id u64}
1674b0a0 tonstake_payout_mint_jettons{query_id u64, destination addr, amount coins, notification coins,
  forward coins}
1690c604 credit{query_id u64, amount coins}
178d4519 jetton_internal_transfer{query_id u64, amount vu16, from addr, response_address addr,
  forward_ton_amount vu16, forward_payload rest}
1bba3896 bidask_swap_fallback{query_id u64, first_range_bin i32, order bool, user_address addr, is_x bool,
  amount_in coins, additional_data cell?, reject_payload cell?}
2167da4b encrypted_text_comment{cipher_text Bytes}
270695fb tonstake_controller_pool_send_message{query_id u64, mode u8, msg cell}
2aaa96a0 tonstake_pool_set_governance_fee{query_id u64, governance_fee u16}
30026327 tonstake_controller_validator_withdrawal{query_id u64, amount coins}
319b0cdc tonstake_pool_withdraw{query_id u64, jetton_amount coins, from_address addr, response_address addr}
47657424 elector_recover_stake_request{query_id u64}
47d54391 tonstake_pool_deposit{query_id u64, referral rest}
4bc7c2df tonstake_pool_touch{query_id u64}
4e73744b elector_new_stake{query_id u64, validator_pubkey b256, stake_at u32, max_factor u32, adnl_addr b256,
  signature ^b512}
4eb1f0f9 delete_dns_record{query_id u64, key b256}
54d37487 tonstake_imanager_operation_fee{query_id u64}
55c26cd5 tonstake_controller_return_available_funds{query_id u64}
5e517f36 tonstake_pool_set_roles{query_id u64, governor addr?, interest_manager addr?, halter addr?}
6335b11a tonstake_controller_send_request_loan{query_id u64, min_loan coins, max_loan coins, max_interst u24}
642b7d07 jetton_mint{query_id u64, to_address addrInt, ton_amount coins}
6501f354 jetton_change_admin{query_id u64, new_admin_address addr}
7247e7a5 tonstake_controller_pool_unhalt{query_id u64}
7362d09c jetton_notify{query_id u64, amount vu16, sender addr, forward_payload (rest | cell)}
77a33521 megaton_wton_mint{query_id u64, amount coins}
79e7c016 tonstake_controller_pool_set_sudoer{query_id u64, sudoer addr}
7b4b42e6 approve{query_id u64}
7bdd97de jetton_burn_notification{query_id u64, amount vu16, sender addr, response_destination addr}
87d36990 bidask_swap_v2{query_id u64, native_amount coins, to_address addr, slippage (coins | u256), exact_out
  coins, additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
8efed779 tonstake_controller_withdraw_validator{query_id u64, value coins}
96e7f528 tonstake_controller_pool_upgrade{query_id u64, data cell?, code cell?, after_upgrade cell?}
9971881c tonstake_pool_prepare_governance_migration{query_id u64, governor_update_after u48}
9bf5561c tonstake_pool_set_deposit_settings{query_id u64, optimistic_deposit_withdrawals bool, deposits_open
  bool}
b1ebae06 tonstake_imanager_request_notification{query_id u64, min_loan coins, max_loan coins, max_interest
  u16}
b27edcad tonstake_pool_deploy_controller{controller_id u32, query_id u64}
c1344900 tonstake_imanager_stats{query_id u64, borrowed coins, expected coins, returned coins, profit_sign i1,
  profit coins, total_balance coins}
c9f04485 tonstake_imanager_set_interest{query_id u64, interest_rate u16}
d1b02ea5 bidask_internal_provide{query_id u64, ref_1 cell?, ref_2 cell?, ref_3 cell?, amount_x coins, amount_y
  coins, to_address addr, dex_payload rest}
d372158c top_up{query_id u64}
d53276db excess{query_id u64}
db3b8abd tonstake_nft_payout{query_id u64}
dfdca27b tonstake_pool_loan_repayment{query_id u64}
e0505d0e tonstake_controller_new_stake{query_id u64, value coins, validator_pubkey u256, stake_at u32,
  max_factor u32, adnl_addr u256, signature ^b512}
e642c965 tonstake_pool_request_loan{query_id u64, min_loan coins, max_loan coins, max_interest u24,
  controller_data ^TonstakersControllerData}
e8a0abfe disapprove{query_id u64}
eb373a05 tonstake_controller_recover_stake{query_id u64}
ed58b0b2 tonstake_nft_burn_notification{query_id u64, amount coins, owner addr, index u64}
ed7378a6 tonstake_controller_return_unused_loan{query_id u64}
eed236d3 jetton_set_status{query_id u64, status u4}
f0fd2250 tonstake_controller_update_validator_hash{query_id u64}
f127fe4e tonstake_nft_burn{query_id u64}
f374484c elector_new_stake_confirmation{query_id u64}
f96f7324 elector_recover_stake_response{query_id u64}
ffffffff bounce{payload rest}
# group 2: internal bodies
00000000 text_comment{text ^SnakeString}
04ded148 prove_ownership{query_id u64, dest addr, forward_payload cell, with_content bool}
05138d91 nft_ownership_assigned{query_id u64, prev_owner addr, forward_payload (rest | cell)}
0524c7ae ownership_proof{query_id u64, item_id u256, owner addr, data cell, revoked_at u64, content cell?}
088eaa32 challenge_quarantined_channel_state{challenged_by_A bool, signature b512, tag u32, channel_id u128,
  sch_A ^SignedSemiChannel, sch_B ^SignedSemiChannel}
0dd607e3 sbt_owner_info{query_id u64, item_id u256, initiator addr, owner addr, data cell, revoked_at u64,
  content cell?}
0e0620c2 init_payment_channel{is_A bool, signature b512, tag u32, channel_id u128, balance_A coins, balance_B
  coins}
1e8d79c4 moon_cancel_order{query_id u64}
1f04537a sbt_destroy{query_id u64}
1f151acf start_uncooperative_channel_close{signed_by_A bool, signature b512, tag u32, channel_id u128, sch_A
  ^SignedSemiChannel, sch_B ^SignedSemiChannel}
25432a91 finish_uncooperative_channel_close{rest rest}
25938561 stonfi_swap{query_id u64, to_address addr, sender_address addr, jetton_amount vu16, min_out vu16,
  has_ref_address bool, addrs ^StonfiSwapAddrs}
2fcb26a2 get_static_data{query_id u64}
49f48ee9 moon_order_cancelled{query_id u64}
5577587e channel_cooperative_close{sig_A ^b512, sig_B ^b512, tag u32, channel_id u128, balance_A coins,
  balance_B coins, seqno_A u64, seqno_B u64}
5fcc3d14 nft_transfer{query_id u64, new_owner addr, response_destination addr, custom_payload cell?,
  forward_amount vu16, forward_payload (rest | cell)}
66f6f069 settle_channel_conditionals{from_A bool, signature b512, tag u32, channel_id u128,
  conditionals_to_settle dict<32,rest>}
67c7d281 top_up_channel_balance{add_A coins, add_B coins}
693d3950 get_royalty_params{query_id u64}
6f89f5e3 sbt_revoke{query_id u64}
75097f5d multisig_execute{query_id u64, order_seqno u256, expiration_date u48, approvals_num u8, signers_hash
  b256, order ^MultisigOrder}
79a126ef channel_cooperative_commit{sig_A ^b512, sig_B ^b512, tag u32, channel_id u128, seqno_A u64, seqno_B
  u64}
82609bf6 multisig_approve_accepted{query_id u64}
8b771735 report_static_data{query_id u64, index u256, collection addr}
96612e37 moon_order_payout{query_id u64}
96aa1586 moon_boost_pool{query_id u64}
983432e2 moon_deploy_order{query_id u64, order_fee u8, order_data MoonOrderParams, pipes cell}
99b49842 moon_fill_order{query_id u64, recipient addr, recipient_payload cell?, reject_address addr}
9c73fba2 multisig_order_init{query_id u64, threshold u8, signers ^dictRoot<8,addrInt>, expiration_date u48,
  order ^MultisigOrder, signer_index u8?}
a32c59bf multisig_execute_internal{query_id u64, order ^MultisigOrder}
a762230f multisig_approve{query_id u64, signer_index u8}
a8cb00ad report_royalty_params{query_id u64, numerator u16, denominator u16, destination addr}
afaf283e multisig_approve_rejected{query_id u64, exit_code u32}
b31db781 moon_deposit_liquidity{query_id u64, min_lp_out vu16}
b37a900b moon_swap{query_id u64, amount vu16, swap_params MoonSwapParams}
b4fc3916 moon_vesting_payout{query_id u64}
c47c1f57 moon_swap_failed{rest rest}
cb7f38d6 moon_swap_succeed{rest rest}
d0c3bfea sbt_request_owner{query_id u64, dest addr, forward_payload cell, with_content bool}
da067c19 moon_create_order{query_id u64, asset2_id addr, order_data MoonOrderParams}
dddc88ba channel_closed{channel_id u128}
f718510f mulisig_new_order{query_id u64, order_seqno u256, signer bool, index u8, expiration_date u48, order
  ^MultisigOrder}
# group 3: internal bodies
01f3835d pton_ton_transfer{query_id u64, ton_amount coins, refund_address addr, forward_payload (rest | cell)}
0490f09b stonfi_deposit_ref_fee_v2{query_id u64, jetton_amount vu16, excesses_address addr}
06ecd527 stonfi_cb_add_liquidity_v2{query_id u64, tot_am0 vu16, tot_am1 vu16, user_address addr, min_lp_out
  vu16, fwd_amount coins, custom_payload_cs cell?, "" ^AdditionalFields}
107c49ef offer_storage_contract{query_id u64}
2100c922 stonfi_vault_pay_to_v2{query_id u64, amount_out vu16, token_address addr, to_address addr}
297437cf stonfi_burn_notification_ext_v2{query_id u64, jetton_amount vu16, from_address addr, response_address
  addr, maybe_custom_payload cell?}
29d22935 pton_reset_gas{query_id u64}
354bcdf4 stonfi_withdraw_fee_v2{query_id u64}
37c096df stonfi_provide_lp_v2{query_id u64, from_user addr, left_amount vu16, right_amount vu16, ""
  ^DexPayloadProvideLpV2}
419d5d4d proof_storage{query_id u64, file_dict_proof cell}
46ed2e94 storage_withdraw{query_id u64}
4f5f4313 pton_deploy_wallet{query_id u64, owner_address addr, excesses_address addr}
50c6a654 stonfi_add_liquidity_v2{query_id u64, new_amount0 vu16, new_amount1 vu16, min_lp_out vu16, fwd_amount
  coins, both_positive u1, to_user addr, custom_payload_cs cell?, "" ^AdditionalFieldsAddLiquidityV2}
53f34cd6 update_pubkey{query_id u64, new_pubkey b256}
54cbf19b update_storage_params{query_id u64, accept_new_contracts bool, rate_per_mb_day coins, max_span u32,
  minimal_file_size u64, maximal_file_size u64}
63381632 stonfi_pay_vault_v2{query_id u64, owner addr, excesses_address addr, "" ^AdditionalInfoPayVaultV2}
6540cf85 pton_internal_deploy{query_id u64, excesses_address addr}
657b54f5 stonfi_pay_to_v2{query_id u64, to_address addr, excesses_address addr, original_caller addr,
  exit_code u32, custom_payload cell?, "" ^AdditionalInfoPayToV2}
6664de2a stonfi_swap_v2{query_id u64, from_user addr, left_amount vu16, right_amount vu16, "" ^DexPayload}
79f937ea close_storage_contract{query_id u64}
7a361688 accept_storage_contract{query_id u64}
a91baf56 storage_reward_withdrawal{query_id u64}
ae25d79e pton_ton_refund{query_id u64}
b6236d63 storage_contract_terminated{cur_lt u64, torrent_hash b256}
d4caedcd storage_contract_confirmed{cur_lt u64, torrent_hash b256}
e4748df1 deploy_storage_contract{query_id u64, info ^TorrentInfo, merkle_hash b256, expected_rate coins,
  expected_max_span u32}
f93bb43f stonfi_payment_request{query_id u64, owner addr, exit_code u32, params (StonfiPayToParams |
  ^StonfiPayToParams)}
# group 4: internal bodies
0a9577f0 coffee_staking_update_rewards{query_id u64, jetton_wallet addrInt, jetton_amount coins, duration u64}
200f9086 coffee_cross_dex_resend{query_id u64, next_recipient addrInt, next cell, total_gas coins, next_gas
  coins}
508238ec subscription_reduce_payment{query_id u64, new_payment grams}
6bc79e7e coffee_mev_protect_hold_funds{query_id u64}
73756273 subscription_payment{rest rest}
756e6b77 subscription_fallback{rest rest}
a1daa96d tonco_router_pay_to_normal{query_id u64, reciever0 addr, reciever1 addr, exit_code u32, seqno u64,
  coinsinfo_cell ^ToncoCoinsInfoCellFull?, indexer_swap_info_cell ^ToncoIndexerSwapInfoCell?}
b30c7310 coffee_staking_claim_rewards{query_id u64, jetton_wallet addrInt, jetton_amount coins, receiver
  addrInt, payload ^CoffeeStakingForwardData?}
b902e61a coffee_cross_dex_failure{query_id u64, recipient addrInt}
be5a7595 coffee_staking_init{query_id u64, owner addrInt, jetton_data ^CoffeeStakingAssetData, position_data
  ^CoffeeStakingPositionData, periods cell}
c0ffee00 coffee_swap{query_id u64, amount coins, "" CoffeeSwapStepParams, params ^CoffeeSwapParams}
c0ffee01 coffee_swap_extra{query_id u64, "" CoffeeSwapStepParams, params ^CoffeeSwapParams}
c0ffee02 coffee_create_pool{query_id u64, amount coins, params CoffeePoolParams, creation_params
  CoffeePoolCreationParams}
c0ffee03 coffee_create_pool_extra{query_id u64, params CoffeePoolParams, creation_params
  CoffeePoolCreationParams}
c0ffee04 coffee_deposit_liquidity{query_id u64, input_amount coins, params CoffeeDepositLiquidityParams}
c0ffee05 coffee_deposit_liquidity_extra{query_id u64, params CoffeeDepositLiquidityParams}
c0ffee20 coffee_swap_internal{query_id u64, "" CoffeeSwapStepInternalParams, params ^CoffeeSwapParams, proof
  cell}
c0ffee21 coffee_payout_internal{query_id u64, recipient addrInt, amount coins, notification_data
  ^CoffeeNotificationDataSingle?, proof cell?}
c0ffee22 coffee_deploy{code cell, data cell, action cell?}
c0ffee23 coffee_create_pool_creator_request{query_id u64, amount coins, params CoffeePoolParams,
  creation_params ^CoffeePoolCreationParams, sender addrInt, proof cell}
c0ffee24 coffee_create_pool_creator_internal{query_id u64, asset CoffeeAsset, amount coins, creation_params
  ^CoffeePoolCreationParams}
c0ffee25 coffee_create_pool_request{query_id u64, amount1 coins, amount2 coins, tx_initiator addrInt,
  creation_params ^CoffeePoolCreationParams, proof cell}
c0ffee26 coffee_create_pool_internal{query_id u64, amount1 coins, amount2 coins, tx_initiator addrInt,
  recipient addrInt, use_recipient_on_failure i1, extra_settings cell?, notification_data
  ^CoffeeNotificationData?}
c0ffee27 coffee_create_liquidity_depository_request{query_id u64, amount coins, params
  CoffeeDepositLiquidityParams, sender addrInt, proof cell}
c0ffee28 coffee_create_liquidity_depository_internal{query_id u64, asset CoffeeAsset, amount coins, params
  ^CoffeeDepositLiquidityParamsTrimmed}
c0ffee29 coffee_deposit_liquidity_internal{query_id u64, amount1 coins, amount2 coins, tx_initiator addrInt,
  params ^CoffeeDepositLiquidityParamsTrimmed, proof cell}
c0ffee32 coffee_payout{query_id u64}
ee51ce51 coffee_mev_protect_failed_swap{query_id u64, recipient addrInt}
f71783cb subscription_deploy{query_id u64, first_charging_date u32, payment_per_period grams, period u32,
  grace_period u32, caller_fee grams, withdraw_address addrInt, withdraw_msg_body cell, metadata cell}
f9471134 coffee_staking_deposit{query_id u64, sender addrInt, jetton_amount coins, from_user addrInt,
  period_id u32}
# group 5: internal bodies
00000001 pyth_update_guardian_set{"" ^{version u8, guardian_set_index u32, signatures_length u8,
  rest_signatures rest}}
000011ae evaa_supply_excess_with_data{query_id u64, custom_response_payload cell}
0000211a evaa_withdraw_success{query_id u64, asset_id EvaaAssetId, principal_amount EvaaPrincipal,
  tracking_supply_index EvaaTrackingIndex, tracking_borrow_index EvaaTrackingIndex}
bf3f447/28 tonco_account_refund_me{query_id u64}
1596920c whales_nominators_force_kick{query_id i64}
1d1715bf whales_nominators_withdraw_unowned_response{query_id u64}
23d421e1 whales_nominators_stake_withdraw_completed{query_id i64}
251d6a98 whales_nominators_withdraw_unowned{query_id u64, gas_limit grams}
299a3e15 teleitem_msg_deploy{sender_address addrInt, bid grams, token_info ^TelemintTokenInfo, nft_content
  cell, auction_config ^TeleitemAuctionConfig, royalty_params ^NftRoyaltyParams}
2e3034ef tonco_router_create_pool{query_id u64, jetton_wallet0 addr, jetton_wallet1 addr, tick_spacing i24,
  initial_price_x96 u160, protocol_fee u16, lp_fee_base u16, lp_fee_current u16, nftv3_content cell,
  nftv3item_content cell, minter_cell ^ToncoMinterControllerCell}
371638ae teleitem_msg_cancel_auction{query_id i64}
38127de1 teleitem_bid_info{bid grams, bid_ts u32}
3ebe5431 tonco_account_add_liquidity{query_id u64, new_amount0 vu16, new_amount1 vu16, new_enough0 vu16,
  new_enough1 vu16, liquidity u128, tick_lower i24, tick_upper i24}
42a0fb43 tonco_reset_gas{query_id u64}
441c39ed tonco_pool_init{query_id u64, from_admin bool, has_admin bool, admin_address addr, has_controller
  bool, controller_address addr, set_spacing bool, tick_spacing i24, set_price bool, initial_price_x96 u160,
  set_active bool, pool_active bool, protocol_fee u16, lp_fee_base u16, lp_fee_current u16, nftv3_content
  cell, nftv3item_content cell, minter_cell ^ToncoMinterCell?}
4468de77 tonco_pool_fund_account{query_id u64, owner_address addr, amount0 vu16, amount1 vu16, enough0 vu16,
  enough1 vu16, liquidity u128, tick_lower i24, tick_upper i24}
4637289a telemint_msg_deploy{sig b512, msg TelemintUnsignedDeploy}
4637289b telemint_msg_deploy_v2{sig b512, msg TelemintUnsignedDeployV2}
46ca335a tonco_position_nft_burn{query_id u64, nft_owner addr, liquidity_to_burn u128, tick_lower i24,
  tick_upper i24, old_fee_cell ^ToncoOldFeeCell}
487a8e81 teleitem_msg_start_auction{query_id i64, auction_config ^TeleitemAuctionConfig}
4e737e4d tonco_pool_unlock{query_id u64}
530b5f2c tonco_pool_start_burn{query_id u64, burned_index u64, liquidity_to_burn u128, tick_lower i24,
  tick_upper i24}
53684037 tonkeeper_2fa_signed{ref_with_certificate ^Certificate2Fa, ref_seed_signature ^SeedSignature, payload
  Payload2Fa, certificate_signature b512}
600c00fd tegro_swap_ton{query_id u64, extract bool, max_in coins, min_out coins, destination addr,
  error_destination addr, ref ^addr?}
64737472 wallet_plugin_destruct{query_id u64}
6bdcbeb8 tonco_pool_set_fee{query_id u64, protocol_fee u16, lp_fee_base u16, lp_fee_current u16}
6e6f7465 wallet_plugin_installation_notification{query_id u64}
706c7567 payment_request{query_id u64, amount CurrencyCollection}
74bb3427 whales_nominators_stake_withdraw_delayed{query_id i64}
7bcd1fef whales_nominators_deposit{query_id i64, gas grams}
81702ef8 tonco_pool_mint_and_refund{query_id u64, amount0_funded vu16, amount1_funded vu16, recipient addr,
  liquidity u128, tick_lower i24, tick_upper i24}
99a811fb whales_nominators_accept_stake{query_id u64, members rest}
a19fd934 whales_nominators_accept_withdraws{query_id u64, members rest}
a1daa96d tonco_router_pay_to_exit_code_201{query_id u64, reciever0 addr, reciever1 addr, exit_code u32, seqno
  u64, coinsinfo_cell ^ToncoCoinsInfoCell?, indexer_burn_info_cell ^ToncoIndexerBurnInfoCell?}
a2065f2c whales_nominators_send_stake{query_id u64, gas_limit grams, stake grams, validator_pubkey b256,
  stake_at u32, max_factor u32, adnl_addr b256, signature ^b512}
a37a0983 teleitem_ok{query_id i64}
a43227e1 teleitem_return_bid{query_id i64}
a7fb58f8 tonco_pool_swap{query_id u64, owner_address addr, source_wallet addr, swap_params ^ToncoSwapParams,
  swap_payloads ^ToncoSwapPayloads}
b1b0b7e2 tonco_pool_lock{query_id u64}
b2c1b6e3 tonco_pool_mint{query_id u64, owner_address addr, amount0 vu16, amount1 vu16, enough0 vu16, enough1
  vu16, liquidity u128, tick_lower i24, tick_upper i24}
c0ffee06 coffee_create_vault{query_id u64, asset CoffeeAsset}
c0ffee07 coffee_withdraw_deposit{query_id u64}
c0ffee2a coffee_create_vault_internal{query_id u64}
c0ffee2c coffee_activate_vault_internal{query_id u64, wallet addrInt}
c0ffee2d coffee_withdraw_internal{query_id u64, asset CoffeeAsset, amount coins, receiver addrInt}
c0ffee2e coffee_update_contract_internal{query_id u64, excesses_receiver addrInt, "" CoffeeContractUpdate}
c0ffee36 coffee_notification{query_id u64, body cell}
c0ffee40 coffee_update_admin{query_id u64, address addrInt}
c0ffee42 coffee_activate_vault{query_id u64, asset CoffeeAsset, wallet addrInt}
c0ffee43 coffee_withdraw{query_id u64, pool_address addrInt, asset CoffeeAsset, amount coins, receiver
  addrInt}
c0ffee44 coffee_update_code_cells{query_id u64, first cell, second cell}
c0ffee45 coffee_update_contract{query_id u64, contract_address addrInt, "" CoffeeContractUpdate}
c0ffee46 coffee_update_withdrawer{query_id u64, address addrInt}
d5ecca2a tonco_position_nft_init{query_id u64, user_address addr, liquidity u128, tick_lower i24, tick_upper
  i24, old_fee_cell ^ToncoOldFeeCellFull}
d73ac09d tonco_pool_burn{query_id u64, recipient addr, burned_index u64, liquidity u128, tick_lower i24,
  tick_upper i24, liquidity_to_burn u128, old_fee_cell ^ToncoOldFeeCell, new_fee_cell ^ToncoNewFeeCell}
da803efd whales_nominators_withdraw{query_id i64, gas grams, amount grams}
e4737472 wallet_plugin_destruct_response{query_id u64}
f06c7567 payment_confirmed{query_id u64}
`
