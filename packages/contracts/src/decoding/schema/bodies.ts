/**
 * Constructors of message bodies, one a line: tag, name and fields. Tags are 32-bit opcodes in hex; `tag/bits` has another width,
 * `-/0` none. Groups are consulted in this order, and lines in order inside a group: the first line with an opcode names it.
 * Notation: ./README.md. Names are those of the indexed API (misspelt ones included): clients match on them.
 */
export const BODIES = `
# group 0: internal bodies
00000001 evaa_supply_master,pyth_update_guardian_set,w4_deploy_install_plugin{rand JustRandomSalt}
02422cbe bidask_provide_refund{query_id u64, first_range_bin i32, x_excess coins, y_excess coins, user_address addr, reject_payload cell?, order bool}
0c09445a bidask_internal_continue_provide{query_id u64, amount_x coins, amount_y coins, excess_x coins, excess_y coins, user_address addr, first_bin i32, number_of_bins u32, liquidity_dict dict<32,i32>, lp_tokens dict<32,i32>, reject_payload cell?, forward_payload cell?, order bool}
0dc8bb28 bidask_liquidity_added_notify{query_id u64, forward_payload cell?}
0f8a7ea5 jetton_transfer{query_id u64, amount vu16, destination addr, response_destination addr, custom_payload cell?, forward_ton_amount vu16, forward_payload (rest | cell)}
10a1ce75 bemo_deploy_unstake_request{query_id u64, owner_address addr, withdraw_ton_amount vu16, withdraw_jetton_amount vu16, forward_payload cell?, lockup_timestamp u32}
16e09400 bidask_internal_burn{query_id u64, owner_address addr, amount_x coins, amount_y coins, first_bin i32, tokens_to_burn dict<32,i32>, forward_payload cell?}
178d4519 jetton_internal_transfer{query_id u64, amount vu16, from addr, response_address addr, forward_ton_amount vu16, forward_payload (rest | cell)}
1bba3896 bidask_swap_fallback_v2{query_id u64, first_range_bin i32, order bool, user_address addr, is_x bool, amount_in coins, distributed_x_amount coins, distributed_y_amount coins, additional_data ^BidaskAdditionalData?, reject_payload cell?}
214ad1d2 bidask_save_liquidity_info{query_id u64, amount_x coins, amount_y coins, deposit_type u3, liquidity_dict dict<32,i32>, reject_payload cell?, forward_payload cell?}
250ad226 bidask_multitoken_mint{query_id u64, ref_1 cell?, ref_2 cell?, liquidity_dict dict<32,i32>, number_of_bins u32, forward_payload cell?}
2e04891a cron_reward{rest rest}
2e41d3ac cron_init{rest rest}
370fec51 auction_fill_up{query_id u64}
38633538 bemo_return_unstake_request{lockup_timestamp u32}
3a86f1a0 lock_and_claim{query_id u64, proof cell?}
3d3761a6 hipo_finance_deposit_coins{query_id u64, owner addr, coins vu16, ownership_assigned_amount vu16, referrer addr}
42062d62 bidask_burn_payout{query_id u64, first_range_bin i32, amount_x coins, amount_y coins, user_address addr, forward_payload cell?}
4253c4d5 bemo_stake{query_id u64, forward_ton_amount vu16, forward_payload cell?}
44beae41 process_governance_decision{query_id u64}
492ab1b3 bemo_unstake{index u64, owner addr, ton_amount vu16, jetton_amount vu16, forward_payload cell?}
4d696e65 gram_submit_proof_of_work{flags u8, expire u32, whom b256, rdata1 b256, rseed u128, rdata2 b256}
4eb1f0f9 change_dns_record{query_id u64, key b256, value ^DNSRecord}
4ed14b65 dns_balance_release{query_id u64}
520e4831 bidask_swap_success{query_id u64, new_current_bin i32, new_sqrt_price u256, order bool, amount_x coins, amount_y coins, is_x bool, user_address addr, ref_cell cell?, additional_data cell?, reject_payload cell?, forward_payload cell?}
5445efee hipo_finance_tokens_minted{query_id u64, tokens vu16, coins vu16, owner addr, round_since u32}
557cea20 outbid_notification{query_id u64}
56f6110e w5_dns_renewal_calc_and_topup{first_call_time u32, repeat_every u32, salt u32, reward coins, owner_address addrInt, renewal_actions_cell cell, topup_amount coins, msg_to_wallet_amount coins}
595f07bc jetton_burn{query_id u64, amount vu16, response_destination addr, custom_payload cell?}
59699475 bidask_internal_continue_swap{query_id u64, to_address addr, order bool, is_x bool, amount_in coins, amount_out coins, exact_out coins, slippage (coins | u256), ref_cell cell?, additional_data cell?, reject_payload cell?, forward_payload cell?}
5a6a036f bidask_internal_continue_swap_v2{query_id u64, to_address addr, order bool, is_x bool, amount_in coins, amount_out coins, exact_out coins, slippage (coins | u256), swap_additional_data ^BidaskSwapAdditionalData?, additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
5be57626 hipo_finance_proxy_tokens_minted{query_id u64, tokens vu16, coins vu16, owner addr, round_since u32}
5c11ada9 daolama_vault_supply{amount coins}
66210c65 bidask_internal_swap{query_id u64, to_address addr, order bool, is_x bool, amount_in coins, amount_out coins, exact_out coins, slippage (coins | u256), ref_cell cell?, additional_data cell?, reject_payload cell?, forward_payload cell?}
6edd65f0 bidask_native_transfer_notification{query_id u64, native_amount coins, forward_payload cell?}
73403c43 bidask_burn{query_id u64, tokens_to_burn dict<32,i32>, forward_payload cell?}
7aa23eb5 invoice_payload{id b128, url PaymentProviderUrl}
87d36990 bidask_internal_swap_v2{query_id u64, to_address addr, order bool, is_x bool, amount_in coins, amount_out coins, exact_out coins, slippage (coins | u256), farming_cell ^BidaskFarmingData?, additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
90c80a07 bemo_unstake_notification{query_id u64, forward_payload cell?}
96feef7b bidask_provide{query_id u64, deposit_type u4, liquidity_dict dict<32,i32>, reject_payload cell?, forward_payload cell?}
af31d23f bidask_adding_liquidity_notify{query_id u64, user_address addr, amount_x coins, amount_y coins, deposit_type u3, liquidity_dict dict<32,i32>, reject_payload cell?, forward_payload cell?}
bbe27821 cron_destroyed{rest rest}
d027efe5 cron_notify{init_state_hash u256, init_state_depth u10}
d1b02ea5 bidask_internal_provide{query_id u64, ref_1 cell?, ref_2 cell?, ref_3 cell?, amount_x coins, amount_y coins, to_address addr, dex_payload ^BidaskDexPayload}
d3a25890 bidask_swap_success_v2{query_id u64, new_current_bin i32, new_sqrt_price u256, order bool, amount_x coins, amount_y coins, is_x bool, user_address addr, dynamic_fee u16, additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
d55e4686 dedust_deposit_liquidity{query_id u64, amount coins, pool_params DedustPoolParams, deposit_params ^DedustDepositLiquidityParams, fulfill_payload cell?, reject_payload cell?}
ebd6ec83 bidask_burn_all{query_id u64, forward_payload cell?}
f2ef6c1b bidask_swap{query_id u64, native_amount coins, to_address addr, slippage (coins | u256), exact_out coins, ref_address addr, additional_data cell?, reject_payload cell?, forward_payload cell?}
# group 1: internal bodies
00000000 text_comment{text SnakeString}
00000015 minter_jetton_mint{query_id u64, to_address addr, ton_amount coins, master_msg cell}
0a77535c tonstake_pool_withdrawal{query_id u64}
132f9a45 tonstake_nft_init{query_id u64, owner addr, amount coins, prev addr, next addr}
139a1b4e tonstake_controller_pool_halt{query_id u64}
1674b0a0 tonstake_payout_mint_jettons{query_id u64, destination addr, amount coins, notification coins, forward coins}
1690c604 credit{query_id u64, amount coins}
178d4519 jetton_internal_transfer{query_id u64, amount vu16, from addr, response_address addr, forward_ton_amount vu16, forward_payload rest}
1bba3896 bidask_swap_fallback{query_id u64, first_range_bin i32, order bool, user_address addr, is_x bool, amount_in coins, additional_data cell?, reject_payload cell?}
2167da4b encrypted_text_comment{cipher_text Bytes}
270695fb tonstake_controller_pool_send_message{query_id u64, mode u8, msg cell}
2aaa96a0 tonstake_pool_set_governance_fee{query_id u64, governance_fee u16}
30026327 tonstake_controller_validator_withdrawal{query_id u64, amount coins}
319b0cdc tonstake_pool_withdraw{query_id u64, jetton_amount coins, from_address addr, response_address addr}
47657424 elector_recover_stake_request{query_id u64}
47d54391 tonstake_pool_deposit{query_id u64, referral rest}
4bc7c2df tonstake_pool_touch{query_id u64}
4e73744b elector_new_stake{query_id u64, validator_pubkey b256, stake_at u32, max_factor u32, adnl_addr b256, signature ^b512}
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
87d36990 bidask_swap_v2{query_id u64, native_amount coins, to_address addr, slippage (coins | u256), exact_out coins, additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
8efed779 tonstake_controller_withdraw_validator{query_id u64, value coins}
96e7f528 tonstake_controller_pool_upgrade{query_id u64, data cell?, code cell?, after_upgrade cell?}
9971881c tonstake_pool_prepare_governance_migration{query_id u64, governor_update_after u48}
9bf5561c tonstake_pool_set_deposit_settings{query_id u64, optimistic_deposit_withdrawals bool, deposits_open bool}
b1ebae06 tonstake_imanager_request_notification{query_id u64, min_loan coins, max_loan coins, max_interest u16}
b27edcad tonstake_pool_deploy_controller{controller_id u32, query_id u64}
c1344900 tonstake_imanager_stats{query_id u64, borrowed coins, expected coins, returned coins, profit_sign i1, profit coins, total_balance coins}
c9f04485 tonstake_imanager_set_interest{query_id u64, interest_rate u16}
d1b02ea5 bidask_internal_provide{query_id u64, ref_1 cell?, ref_2 cell?, ref_3 cell?, amount_x coins, amount_y coins, to_address addr, dex_payload rest}
d372158c top_up{query_id u64}
d53276db excess{query_id u64}
db3b8abd tonstake_nft_payout{query_id u64}
dfdca27b tonstake_pool_loan_repayment{query_id u64}
e0505d0e tonstake_controller_new_stake{query_id u64, value coins, validator_pubkey u256, stake_at u32, max_factor u32, adnl_addr u256, signature ^b512}
e642c965 tonstake_pool_request_loan{query_id u64, min_loan coins, max_loan coins, max_interest u24, controller_data ^TonstakersControllerData}
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
088eaa32 challenge_quarantined_channel_state{challenged_by_A bool, signature b512, tag u32, channel_id u128, sch_A ^SignedSemiChannel, sch_B ^SignedSemiChannel}
0dd607e3 sbt_owner_info{query_id u64, item_id u256, initiator addr, owner addr, data cell, revoked_at u64, content cell?}
0e0620c2 init_payment_channel{is_A bool, signature b512, tag u32, channel_id u128, balance_A coins, balance_B coins}
1e8d79c4 moon_cancel_order{query_id u64}
1f04537a sbt_destroy{query_id u64}
1f151acf start_uncooperative_channel_close{signed_by_A bool, signature b512, tag u32, channel_id u128, sch_A ^SignedSemiChannel, sch_B ^SignedSemiChannel}
25432a91 finish_uncooperative_channel_close{rest rest}
25938561 stonfi_swap{query_id u64, to_address addr, sender_address addr, jetton_amount vu16, min_out vu16, has_ref_address bool, addrs ^StonfiSwapAddrs}
2fcb26a2 get_static_data{query_id u64}
49f48ee9 moon_order_cancelled{query_id u64}
5577587e channel_cooperative_close{sig_A ^b512, sig_B ^b512, tag u32, channel_id u128, balance_A coins, balance_B coins, seqno_A u64, seqno_B u64}
5fcc3d14 nft_transfer{query_id u64, new_owner addr, response_destination addr, custom_payload cell?, forward_amount vu16, forward_payload (rest | cell)}
66f6f069 settle_channel_conditionals{from_A bool, signature b512, tag u32, channel_id u128, conditionals_to_settle dict<32,rest>}
67c7d281 top_up_channel_balance{add_A coins, add_B coins}
693d3950 get_royalty_params{query_id u64}
6f89f5e3 sbt_revoke{query_id u64}
75097f5d multisig_execute{query_id u64, order_seqno u256, expiration_date u48, approvals_num u8, signers_hash b256, order ^MultisigOrder}
79a126ef channel_cooperative_commit{sig_A ^b512, sig_B ^b512, tag u32, channel_id u128, seqno_A u64, seqno_B u64}
82609bf6 multisig_approve_accepted{query_id u64}
8b771735 report_static_data{query_id u64, index u256, collection addr}
96612e37 moon_order_payout{query_id u64}
96aa1586 moon_boost_pool{query_id u64}
983432e2 moon_deploy_order{query_id u64, order_fee u8, order_data MoonOrderParams, pipes cell}
99b49842 moon_fill_order{query_id u64, recipient addr, recipient_payload cell?, reject_address addr}
9c73fba2 multisig_order_init{query_id u64, threshold u8, signers ^dictRoot<8,addrInt>, expiration_date u48, order ^MultisigOrder, signer_index u8?}
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
f718510f mulisig_new_order{query_id u64, order_seqno u256, signer bool, index u8, expiration_date u48, order ^MultisigOrder}
# group 3: internal bodies
01f3835d pton_ton_transfer{query_id u64, ton_amount coins, refund_address addr, forward_payload (rest | cell)}
0490f09b stonfi_deposit_ref_fee_v2{query_id u64, jetton_amount vu16, excesses_address addr}
06ecd527 stonfi_cb_add_liquidity_v2{query_id u64, tot_am0 vu16, tot_am1 vu16, user_address addr, min_lp_out vu16, fwd_amount coins, custom_payload_cs cell?, "" ^AdditionalFields}
107c49ef offer_storage_contract{query_id u64}
2100c922 stonfi_vault_pay_to_v2{query_id u64, amount_out vu16, token_address addr, to_address addr}
297437cf stonfi_burn_notification_ext_v2{query_id u64, jetton_amount vu16, from_address addr, response_address addr, maybe_custom_payload cell?}
29d22935 pton_reset_gas{query_id u64}
354bcdf4 stonfi_withdraw_fee_v2{query_id u64}
37c096df stonfi_provide_lp_v2{query_id u64, from_user addr, left_amount vu16, right_amount vu16, "" ^DexPayloadProvideLpV2}
419d5d4d proof_storage{query_id u64, file_dict_proof cell}
46ed2e94 storage_withdraw{query_id u64}
4f5f4313 pton_deploy_wallet{query_id u64, owner_address addr, excesses_address addr}
50c6a654 stonfi_add_liquidity_v2{query_id u64, new_amount0 vu16, new_amount1 vu16, min_lp_out vu16, fwd_amount coins, both_positive u1, to_user addr, custom_payload_cs cell?, "" ^AdditionalFieldsAddLiquidityV2}
53f34cd6 update_pubkey{query_id u64, new_pubkey b256}
54cbf19b update_storage_params{query_id u64, accept_new_contracts bool, rate_per_mb_day coins, max_span u32, minimal_file_size u64, maximal_file_size u64}
63381632 stonfi_pay_vault_v2{query_id u64, owner addr, excesses_address addr, "" ^AdditionalInfoPayVaultV2}
6540cf85 pton_internal_deploy{query_id u64, excesses_address addr}
657b54f5 stonfi_pay_to_v2{query_id u64, to_address addr, excesses_address addr, original_caller addr, exit_code u32, custom_payload cell?, "" ^AdditionalInfoPayToV2}
6664de2a stonfi_swap_v2{query_id u64, from_user addr, left_amount vu16, right_amount vu16, "" ^DexPayload}
79f937ea close_storage_contract{query_id u64}
7a361688 accept_storage_contract{query_id u64}
a91baf56 storage_reward_withdrawal{query_id u64}
ae25d79e pton_ton_refund{query_id u64}
b6236d63 storage_contract_terminated{cur_lt u64, torrent_hash b256}
d4caedcd storage_contract_confirmed{cur_lt u64, torrent_hash b256}
e4748df1 deploy_storage_contract{query_id u64, info ^TorrentInfo, merkle_hash b256, expected_rate coins, expected_max_span u32}
f93bb43f stonfi_payment_request{query_id u64, owner addr, exit_code u32, params (StonfiPayToParams | ^StonfiPayToParams)}
# group 4: internal bodies
0a9577f0 coffee_staking_update_rewards{query_id u64, jetton_wallet addrInt, jetton_amount coins, duration u64}
200f9086 coffee_cross_dex_resend{query_id u64, next_recipient addrInt, next cell, total_gas coins, next_gas coins}
508238ec subscription_reduce_payment{query_id u64, new_payment grams}
6bc79e7e coffee_mev_protect_hold_funds{query_id u64}
73756273 subscription_payment{rest rest}
756e6b77 subscription_fallback{rest rest}
a1daa96d tonco_router_pay_to_normal{query_id u64, reciever0 addr, reciever1 addr, exit_code u32, seqno u64, coinsinfo_cell ^ToncoCoinsInfoCellFull?, indexer_swap_info_cell ^ToncoIndexerSwapInfoCell?}
b30c7310 coffee_staking_claim_rewards{query_id u64, jetton_wallet addrInt, jetton_amount coins, receiver addrInt, payload ^CoffeeStakingForwardData?}
b902e61a coffee_cross_dex_failure{query_id u64, recipient addrInt}
be5a7595 coffee_staking_init{query_id u64, owner addrInt, jetton_data ^CoffeeStakingAssetData, position_data ^CoffeeStakingPositionData, periods cell}
c0ffee00 coffee_swap{query_id u64, amount coins, "" CoffeeSwapStepParams, params ^CoffeeSwapParams}
c0ffee01 coffee_swap_extra{query_id u64, "" CoffeeSwapStepParams, params ^CoffeeSwapParams}
c0ffee02 coffee_create_pool{query_id u64, amount coins, params CoffeePoolParams, creation_params CoffeePoolCreationParams}
c0ffee03 coffee_create_pool_extra{query_id u64, params CoffeePoolParams, creation_params CoffeePoolCreationParams}
c0ffee04 coffee_deposit_liquidity{query_id u64, input_amount coins, params CoffeeDepositLiquidityParams}
c0ffee05 coffee_deposit_liquidity_extra{query_id u64, params CoffeeDepositLiquidityParams}
c0ffee20 coffee_swap_internal{query_id u64, "" CoffeeSwapStepInternalParams, params ^CoffeeSwapParams, proof cell}
c0ffee21 coffee_payout_internal{query_id u64, recipient addrInt, amount coins, notification_data ^CoffeeNotificationDataSingle?, proof cell?}
c0ffee22 coffee_deploy{code cell, data cell, action cell?}
c0ffee23 coffee_create_pool_creator_request{query_id u64, amount coins, params CoffeePoolParams, creation_params ^CoffeePoolCreationParams, sender addrInt, proof cell}
c0ffee24 coffee_create_pool_creator_internal{query_id u64, asset CoffeeAsset, amount coins, creation_params ^CoffeePoolCreationParams}
c0ffee25 coffee_create_pool_request{query_id u64, amount1 coins, amount2 coins, tx_initiator addrInt, creation_params ^CoffeePoolCreationParams, proof cell}
c0ffee26 coffee_create_pool_internal{query_id u64, amount1 coins, amount2 coins, tx_initiator addrInt, recipient addrInt, use_recipient_on_failure i1, extra_settings cell?, notification_data ^CoffeeNotificationData?}
c0ffee27 coffee_create_liquidity_depository_request{query_id u64, amount coins, params CoffeeDepositLiquidityParams, sender addrInt, proof cell}
c0ffee28 coffee_create_liquidity_depository_internal{query_id u64, asset CoffeeAsset, amount coins, params ^CoffeeDepositLiquidityParamsTrimmed}
c0ffee29 coffee_deposit_liquidity_internal{query_id u64, amount1 coins, amount2 coins, tx_initiator addrInt, params ^CoffeeDepositLiquidityParamsTrimmed, proof cell}
c0ffee32 coffee_payout{query_id u64}
ee51ce51 coffee_mev_protect_failed_swap{query_id u64, recipient addrInt}
f71783cb subscription_deploy{query_id u64, first_charging_date u32, payment_per_period grams, period u32, grace_period u32, caller_fee grams, withdraw_address addrInt, withdraw_msg_body cell, metadata cell}
f9471134 coffee_staking_deposit{query_id u64, sender addrInt, jetton_amount coins, from_user addrInt, period_id u32}
# group 5: internal bodies
00000001 pyth_update_guardian_set{"" ^{version u8, guardian_set_index u32, signatures_length u8, rest_signatures rest}}
000011ae evaa_supply_excess_with_data{query_id u64, custom_response_payload cell}
0000211a evaa_withdraw_success{query_id u64, asset_id EvaaAssetId, principal_amount EvaaPrincipal, tracking_supply_index EvaaTrackingIndex, tracking_borrow_index EvaaTrackingIndex}
bf3f447/28 tonco_account_refund_me{query_id u64}
1596920c whales_nominators_force_kick{query_id i64}
1d1715bf whales_nominators_withdraw_unowned_response{query_id u64}
23d421e1 whales_nominators_stake_withdraw_completed{query_id i64}
251d6a98 whales_nominators_withdraw_unowned{query_id u64, gas_limit grams}
299a3e15 teleitem_msg_deploy{sender_address addrInt, bid grams, token_info ^TelemintTokenInfo, nft_content cell, auction_config ^TeleitemAuctionConfig, royalty_params ^NftRoyaltyParams}
2e3034ef tonco_router_create_pool{query_id u64, jetton_wallet0 addr, jetton_wallet1 addr, tick_spacing i24, initial_price_x96 u160, protocol_fee u16, lp_fee_base u16, lp_fee_current u16, nftv3_content cell, nftv3item_content cell, minter_cell ^ToncoMinterControllerCell}
371638ae teleitem_msg_cancel_auction{query_id i64}
38127de1 teleitem_bid_info{bid grams, bid_ts u32}
3ebe5431 tonco_account_add_liquidity{query_id u64, new_amount0 vu16, new_amount1 vu16, new_enough0 vu16, new_enough1 vu16, liquidity u128, tick_lower i24, tick_upper i24}
42a0fb43 tonco_reset_gas{query_id u64}
441c39ed tonco_pool_init{query_id u64, from_admin bool, has_admin bool, admin_address addr, has_controller bool, controller_address addr, set_spacing bool, tick_spacing i24, set_price bool, initial_price_x96 u160, set_active bool, pool_active bool, protocol_fee u16, lp_fee_base u16, lp_fee_current u16, nftv3_content cell, nftv3item_content cell, minter_cell ^ToncoMinterCell?}
4468de77 tonco_pool_fund_account{query_id u64, owner_address addr, amount0 vu16, amount1 vu16, enough0 vu16, enough1 vu16, liquidity u128, tick_lower i24, tick_upper i24}
4637289a telemint_msg_deploy{sig b512, msg TelemintUnsignedDeploy}
4637289b telemint_msg_deploy_v2{sig b512, msg TelemintUnsignedDeployV2}
46ca335a tonco_position_nft_burn{query_id u64, nft_owner addr, liquidity_to_burn u128, tick_lower i24, tick_upper i24, old_fee_cell ^ToncoOldFeeCell}
487a8e81 teleitem_msg_start_auction{query_id i64, auction_config ^TeleitemAuctionConfig}
4e737e4d tonco_pool_unlock{query_id u64}
530b5f2c tonco_pool_start_burn{query_id u64, burned_index u64, liquidity_to_burn u128, tick_lower i24, tick_upper i24}
53684037 tonkeeper_2fa_signed{ref_with_certificate ^Certificate2Fa, ref_seed_signature ^SeedSignature, payload Payload2Fa, certificate_signature b512}
600c00fd tegro_swap_ton{query_id u64, extract bool, max_in coins, min_out coins, destination addr, error_destination addr, ref ^addr?}
64737472 wallet_plugin_destruct{query_id u64}
6bdcbeb8 tonco_pool_set_fee{query_id u64, protocol_fee u16, lp_fee_base u16, lp_fee_current u16}
6e6f7465 wallet_plugin_installation_notification{query_id u64}
706c7567 payment_request{query_id u64, amount CurrencyCollection}
74bb3427 whales_nominators_stake_withdraw_delayed{query_id i64}
7bcd1fef whales_nominators_deposit{query_id i64, gas grams}
81702ef8 tonco_pool_mint_and_refund{query_id u64, amount0_funded vu16, amount1_funded vu16, recipient addr, liquidity u128, tick_lower i24, tick_upper i24}
99a811fb whales_nominators_accept_stake{query_id u64, members rest}
a19fd934 whales_nominators_accept_withdraws{query_id u64, members rest}
a1daa96d tonco_router_pay_to_exit_code_201{query_id u64, reciever0 addr, reciever1 addr, exit_code u32, seqno u64, coinsinfo_cell ^ToncoCoinsInfoCell?, indexer_burn_info_cell ^ToncoIndexerBurnInfoCell?}
a2065f2c whales_nominators_send_stake{query_id u64, gas_limit grams, stake grams, validator_pubkey b256, stake_at u32, max_factor u32, adnl_addr b256, signature ^b512}
a37a0983 teleitem_ok{query_id i64}
a43227e1 teleitem_return_bid{query_id i64}
a7fb58f8 tonco_pool_swap{query_id u64, owner_address addr, source_wallet addr, swap_params ^ToncoSwapParams, swap_payloads ^ToncoSwapPayloads}
b1b0b7e2 tonco_pool_lock{query_id u64}
b2c1b6e3 tonco_pool_mint{query_id u64, owner_address addr, amount0 vu16, amount1 vu16, enough0 vu16, enough1 vu16, liquidity u128, tick_lower i24, tick_upper i24}
c0ffee06 coffee_create_vault{query_id u64, asset CoffeeAsset}
c0ffee07 coffee_withdraw_deposit{query_id u64}
c0ffee2a coffee_create_vault_internal{query_id u64}
c0ffee2c coffee_activate_vault_internal{query_id u64, wallet addrInt}
c0ffee2d coffee_withdraw_internal{query_id u64, asset CoffeeAsset, amount coins, receiver addrInt}
c0ffee2e coffee_update_contract_internal{query_id u64, excesses_receiver addrInt, "" CoffeeContractUpdate}
c0ffee36 coffee_notification{query_id u64, body cell}
c0ffee40 coffee_update_admin{query_id u64, address addrInt}
c0ffee42 coffee_activate_vault{query_id u64, asset CoffeeAsset, wallet addrInt}
c0ffee43 coffee_withdraw{query_id u64, pool_address addrInt, asset CoffeeAsset, amount coins, receiver addrInt}
c0ffee44 coffee_update_code_cells{query_id u64, first cell, second cell}
c0ffee45 coffee_update_contract{query_id u64, contract_address addrInt, "" CoffeeContractUpdate}
c0ffee46 coffee_update_withdrawer{query_id u64, address addrInt}
d5ecca2a tonco_position_nft_init{query_id u64, user_address addr, liquidity u128, tick_lower i24, tick_upper i24, old_fee_cell ^ToncoOldFeeCellFull}
d73ac09d tonco_pool_burn{query_id u64, recipient addr, burned_index u64, liquidity u128, tick_lower i24, tick_upper i24, liquidity_to_burn u128, old_fee_cell ^ToncoOldFeeCell, new_fee_cell ^ToncoNewFeeCell}
da803efd whales_nominators_withdraw{query_id i64, gas grams, amount grams}
e4737472 wallet_plugin_destruct_response{query_id u64}
f06c7567 payment_confirmed{query_id u64}
# group 6: internal bodies
00000001 evaa_supply_master{query_id u64, include_user_code BoolExtended, supply_amount EvaaAmount, recipient_address addrInt, forward_ton_amount EvaaAmount, custom_response_payload cell}
00000002 evaa_withdraw_master{query_id u64, asset_id EvaaAssetId, amount EvaaAmount, recipient_addr addrInt, include_user_code BoolExtended, forward_ton_amount EvaaAmount, custom_response_payload cell, prices_with_signature_packed ^PricesPacked}
00000006 pyth_parse_unique_price_feed_updates{update_data cell, price_ids cell, publish_time u64, max_staleness u64, target_address addr, custom_payload cell}
0000000f evaa_revert_call{query_id u64, owner_address addrInt, revert_body cell}
00000011 evaa_supply_user{query_id u64, asset_id EvaaAssetId, supply_amount_current EvaaAmount, s_rate EvaaSbRate, b_rate EvaaSbRate, dust u64, max_token_amount u64, total_supply EvaaPrincipal, total_borrow EvaaPrincipal, tracking_supply_index EvaaTrackingIndex, tracking_borrow_index EvaaTrackingIndex, custom_response_payload cell, "" ^{subaccount_id i16, return_repay_remainings_flag BoolExtended, custom_payload_recipient addrInt, custom_payload_saturation_flag BoolExtended, initial_sender addrInt}}
00000021 evaa_withdraw_user{query_id u64, asset_id EvaaAssetId, withdraw_amount_current EvaaAmount, s_rate EvaaSbRate, b_rate EvaaSbRate, recipient_address addrInt, "" ^{asset_config_collection AssetConfigCollection, asset_dynamics_collection AssetDynamicsCollection, prices_packed ^PricesPacked, forward_ton_amount EvaaAmount, custom_response_payload cell}}
0000011a evaa_supply_success{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount_supplied EvaaAmount, user_new_principal EvaaPrincipal, repay_amount_principal EvaaPrincipal, supply_amount_principal EvaaPrincipal, custom_response_payload cell, subaccount_id i16, return_repay_remainings_flag BoolExtended, "" ^{custom_payload_recipient addr}, custom_payload_saturation_flag BoolExtended}
0000011f evaa_supply_fail{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount EvaaAmount, forward_ton_amount EvaaAmount, custom_response_payload cell, subaccount_id i16, return_repay_remainings_flag BoolExtended, "" ^{initial_sender addrInt}}
00000211 evaa_withdraw_collateralized{query_id u64, owner_address addrInt, asset_id EvaaAssetId, withdraw_amount_current EvaaAmount, user_new_principal EvaaPrincipal, borrow_amount_principal EvaaPrincipal, reclaim_amount_principal EvaaPrincipal, "" ^{recipient_address addrInt, forward_ton_amount EvaaAmount, custom_response_payload cell}}
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
d68a4ac1 jvault_receive_jettons{query_id u64, min_deposit coins, max_deposit coins, unstake_commission u16, unstake_fee coins, whitelist dict<267,u1>, received_jettons coins}
f258a69b vesting_add_white_list_response{query_id u64}
f5c5baa3 jvault_request_update_rewards{rest rest}
f7733acd vesting_send_message_response{query_id u64}
# group 7: internal bodies
-/0 evaa_liquidate_fail_report{error LiquidationMasterError, custom_response_payload cell}
00000001 evaa_supply_master{query_id u64, include_user_code BoolExtended, supply_amount EvaaAmount, recipient_address addrInt, custom_response_payload cell, supply_master_optional SupplyMasterOptional}
00000003 evaa_liquidate_master{query_id u64, borrower_address addrInt, liquidator_address addr, collateral_asset_id EvaaAssetId, min_collateral_amount EvaaAmount, include_user_code BoolExtended, liquidate_incoming_amount EvaaAmount, "" ^{forward_ton_amount EvaaAmount, custom_response_payload cell}, prices_with_signature_packed ^PricesPacked}
00000005 pyth_parse_price_feed_updates{update_data cell, price_ids cell, min_publish_time u64, max_publish_time u64, target_address addr, custom_payload cell}
00000006 pyth_parse_unique_price_feed_updates{number_of_price_feeds u8, price_feeds cell, sender_address addr, custom_payload rest}
00000008 evaa_idle_master{query_id u64, target_address addrInt}
00000011 evaa_supply_user{query_id u64, asset_id EvaaAssetId, supply_amount_current EvaaAmount, s_rate EvaaSbRate, b_rate EvaaSbRate, dust u64, max_token_amount u64, total_supply EvaaPrincipal, total_borrow EvaaPrincipal, tracking_supply_index EvaaTrackingIndex, tracking_borrow_index EvaaTrackingIndex, forward_ton_amount EvaaAmount, custom_response_payload cell}
00000031 evaa_liquidate_user{query_id u64, asset_config_collection AssetConfigCollection, asset_dynamics_collection AssetDynamicsCollection, "" ^{prices_packed ^PricesPacked, collateral_asset_id EvaaAssetId, min_collateral_amount EvaaAmount, liquidator_address addrInt, transferred_asset_id EvaaAssetId, transfered_amount EvaaAmount, forward_ton_amount coins, custom_response_payload cell}}
00000041 evaa_supply_withdraw_user{query_id u64, supply_data ^SWSupplyUser, withdraw_data ^SWWithdrawUser, general_data ^SupplyWithdrawUserParams}
00000081 evaa_idle_user{query_id u64, tokens_keys cell?, originator_address addrInt}
000000a1 evaa_init_master{query_id u64, new_asset_config_collection ^AssetConfigCollection, packed_data ^InitMasterPackedData}
000000a2 evaa_claim_asset_reserves{query_id u64, target_address addrInt, asset_id EvaaAssetId, amount_to_claim EvaaAmount}
000000c1 evaa_init_upgrade{query_id u64, new_master_code cell?, new_user_code cell?}
000000c2 evaa_submit_upgrade{query_id u64}
000000c3 evaa_cancel_upgrade{query_id u64}
000000e1 evaa_force_enable{query_id u64}
000000e4 evaa_update_config{query_id u64, new_meta cell, new_config ^MasterConfig}
000000e8 evaa_disable_contract_for_upgrade{query_id u64}
000000e9 evaa_force_disable_contract{query_id u64}
0000011a evaa_supply_success{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount_supplied EvaaAmount, user_new_principal EvaaPrincipal, repay_amount_principal EvaaPrincipal, supply_amount_principal EvaaPrincipal, custom_response_payload cell}
0000011f evaa_supply_fail{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount EvaaAmount, forward_ton_amount EvaaAmount, custom_response_payload cell}
00000211 evaa_withdraw_collateralized{query_id u64, owner_address addrInt, asset_id EvaaAssetId, withdraw_amount_current EvaaAmount, user_new_principal EvaaPrincipal, borrow_amount_principal EvaaPrincipal, reclaim_amount_principal_optional rest}
00000311 evaa_liquidate_satisfied{query_id u64, owner_address addrInt, liquidator_address addrInt, transferred_asset_id EvaaAssetId, "" ^{delta_loan_principal EvaaPrincipal, liquidatable_amount EvaaAmount, protocol_gift EvaaAmount, new_user_loan_principal EvaaPrincipal, collateral_asset_id EvaaAssetId, delta_collateral_principal EvaaPrincipal, collateral_reward EvaaAmount, min_collateral_amount EvaaAmount, new_user_collateral_principal EvaaPrincipal, forward_ton_amount coins, custom_response_payload cell}}
0000031f evaa_liquidate_unsatisfied{query_id u64, owner_address addrInt, liquidator_address addrInt, transferred_asset_id EvaaAssetId, "" ^{transferred_amount EvaaAmount, collateral_asset_id EvaaAssetId, min_collateral_amount EvaaAmount, forward_ton_amount coins, custom_response_payload cell, error LiquidationError}}
00000401 evaa_supply_withdraw_master_without_prices{query_id u64, "" SupplyWithdrawMasterParams}
00000411 evaa_supply_withdraw_satisfied{query_id u64, supply_data ^SupplyWithdrawSatisfiedSupplyData, withdraw_data ^SupplyWithdrawSatisfiedWithdrawData, general_data ^SWGeneralUser}
0000041f evaa_supply_withdraw_unsatisfied{query_id u64, supply_data ^SupplyWithdrawUnsatisfiedSupplyData, withdraw_data ^SWWithdrawEmpty, general_data ^SupplyWithdrawUnsatisfiedGeneralData}
0000081e evaa_idle_excess{query_id u64}
00000a32 evaa_add_new_token{query_id u64, asset_key EvaaAssetId, new_asset_config ^AssetConfig, new_asset_dynamics ^AssetDynamics}
00000a99 evaa_add_to_reserve{rest rest}
00000d21 evaa_debug_principals_edit_user{query_id u64, new_principals dict<256,EvaaPrincipal>}
0000211a evaa_withdraw_success_excess_with_data{query_id u64, custom_response_payload rest}
0000311a evaa_liquidate_success{query_id u64, transferred_asset_id EvaaAssetId, delta_loan_principal EvaaPrincipal, loan_tracking_supply_index EvaaTrackingIndex, loan_tracking_borrow_index EvaaTrackingIndex, collateral_asset_id EvaaAssetId, delta_collateral_principal EvaaPrincipal, collateral_tracking_supply_index EvaaTrackingIndex, collateral_tracking_borrow_index EvaaTrackingIndex}
0000311d evaa_liquidate_success_report{transferred_asset_id EvaaAssetId, transferred_amount EvaaAmount, collateral_asset_id EvaaAssetId, collateral_reward EvaaAmount, custom_response_payload cell}
0000311f evaa_liquidate_fail{query_id u64, transferred_asset_id EvaaAssetId, delta_loan_principal EvaaPrincipal, collateral_asset_id EvaaAssetId, delta_collateral_principal EvaaPrincipal}
0000411a evaa_supply_withdraw_success{query_id u64, supply_data ^SupplyWithdrawSuccessSupplyData, withdraw_data ^SupplyWithdrawSuccessWithdrawData, general_data ^SupplyWithdrawSuccessGeneralData}
0000411f evaa_supply_withdraw_fail{query_id u64, supply_data ^SupplyWithdrawFailSupplyData, withdraw_data ^SupplyWithdrawFailWithdrawData, general_data ^SupplyWithdrawFailGeneralData}
00009998 evaa_get_store_request{query_id u64, body_data cell}
00009999 evaa_get_store_response{query_id u64, body_data cell, storage MasterStorage}
0000d001 evaa_do_data_checks{query_id u64}
00010001 pyth_response_success{result cell, original_custom_payload cell}
00010002 pyth_response_error{error_code u32, original_op_code u32, original_custom_payload cell}
# group 8: internal bodies
00000001 evaa_supply_master{query_id u64, include_user_code BoolExtended, supply_amount EvaaAmount, recipient_address addrInt, custom_response_payload cell, supply_master_optional rest}
00000003 evaa_liquidate_master{query_id u64, borrower_address addrInt, liquidator_address addr, collateral_asset_id EvaaAssetId, min_collateral_amount EvaaAmount, include_user_code BoolExtended, liquidate_incoming_amount EvaaAmount, "" ^{forward_ton_amount EvaaAmount, custom_response_payload cell}}
0000011a evaa_supply_success{query_id u64, owner_address addrInt, asset_id EvaaAssetId, amount_supplied EvaaAmount, user_new_principal EvaaPrincipal, repay_amount_principal EvaaPrincipal, custom_response_payload rest}
0085f5a3 dedust_upgrade_operator{query_id u64, role DedustRole}
16cb7fc2 dedust_cancel_ownership_transfer{query_id u64}
1be6df93 dedust_change_operator_user_addr{query_id u64, role DedustRole, user_addr addrInt}
21cfe02b dedust_create_vault{query_id u64, asset DedustAsset}
25d66911 dedust_upgrade_vault{query_id u64, asset DedustAsset}
30c7219b blum_memepad_send_liq_log{ton_liq_amount coins, jetton_liq_amount coins}
6578746e w5_extension_action_request{rest rest}
67617302 gas_pump_buy_log{buyer_address addr, input_ton_amount coins, ton_amount coins, jetton_amount coins, fee_ton_amount coins, bonding_curve_overflow bool}
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
bc3f26f6 dedust_install_vault_code{query_id u64, asset_type DedustAssetType, code_version DedustVersion, code cell}
c9a5752d dedust_create_legacy_jetton_vault{query_id u64, minter_addr addrInt, resolver_addr addrInt}
ca61554e dedust_transfer_ownership{query_id u64, new_owner_addr addr}
ceac8af4 blum_memepad_buy_log{buyer_address addr, tons_consumed coins, supply_delta coins, new_supply coins, collected_ton_liq coins, refferal rest}
dee60404 dedust_accept_ownership{query_id u64}
df4a27aa dedust_upgrade{query_id u64, code_version DedustVersion, code cell}
e505d21a dedust_install_operator_code{query_id u64, code_version DedustVersion, code cell}
ef2e2def blum_memepad_sell_log{seller_address addr, ton_value coins, supply_delta coins, new_supply coins, collected_ton_liq coins, refferal rest}
f0fd50bb blum_memepad_unlock_wallet{query_id u64}
# group 9: internal bodies
0b429f52 dedust_collect_fees{query_id u64, asset0_amount coins, asset0_destination addrInt, asset0_payload cell?, asset1_amount coins, asset1_destination addr, asset1_payload cell?}
166cedee dedust_cancel_deposit{query_id u64, payload cell?}
26c63ab7 dedust_reset_gas_v2{query_id u64, response_destination addrInt}
474f86cf dedust_payout{query_id u64, payload cell?}
48e5a95d dedust_set_user_addr{query_id u64, user_addr addr}
53e252ae dedust_upgrade_pool{query_id u64, pool_params DedustPoolParams}
54240fe5 dedust_deposit_asset{query_id u64, asset DedustAsset, amount coins}
59317e9a dedust_sync_pool_asset_quote{query_id u64, pool_addr addrInt, asset DedustAsset}
61ee542d dedust_swap_external{query_id u64, proof ^DedustVaultProof, amount coins, sender_addr addrInt, current DedustSwapStepParams, swap_params ^DedustSwapParams}
6873c90c dedust_sync_asset_quote{query_id u64, asset DedustAsset}
6b0b787f dedust_pay_out_from_deposit{query_id u64, proof ^DedustLiquidityDepositProof, amount coins, payload cell?}
6e24728d dedust_provide_pool_state{query_id u64, include_assets bool}
72aca8aa dedust_swap_peer{query_id u64, proof ^DedustPoolProof, asset DedustAsset, amount coins, sender_addr addrInt, current DedustSwapStepParams, swap_params ^DedustSwapParams}
7c40ac87 dedust_create_stable_pool{query_id u64, asset0 DedustAsset, asset0_decimals u8, asset1 DedustAsset, asset1_decimals u8}
7ed7f6ce dedust_configure_start_time{query_id u64, start_at DedustTimestamp}
817462a9 dedust_sync_fee_collector_addr{query_id u64, pool_addr addrInt}
8a518d0d dedust_destroy_non_ready_vault{query_id u64, asset DedustAsset}
99a84311 dedust_install_liquidity_deposit_code{query_id u64, code_version DedustVersion, code cell}
9b3aa3fa dedust_install{query_id u64, blank_code cell, code_version DedustVersion, code cell, extra_params rest}
9d65482b dedust_destroy_non_ready{query_id u64}
a805f43e dedust_configure_pool_asset_quote_provider{query_id u64, pool_addr addrInt, asset DedustAsset, quote_provider_addr addr}
a913dc0d dedust_take_vault_state{query_id u64, is_ready bool}
aae79256 dedust_fulfill_deposit{query_id u64, proof ^DedustPoolProof, asset0_deposit coins, asset1_deposit coins}
abb46b3d dedust_configure_quote_provider{query_id u64, asset DedustAsset, quote_provider_addr addr}
ad4eb6f5 dedust_pay_out_from_pool{query_id u64, proof ^DedustPoolProof, amount coins, recipient_addr addr, payload cell?}
b56b9598 dedust_deposit_liquidity_all{query_id u64, proof ^DedustLiquidityDepositProof, owner_addr addrInt, min_lp_amount coins, "" ^{asset0 DedustAsset, asset0_amount coins, asset1 DedustAsset, asset1_amount coins}, fulfill_payload cell?, reject_payload cell?}
bddd4954 dedust_take_pool_state{query_id u64, reserve0 coins, reserve1 coins, total_supply coins, assets ^{asset0 DedustAsset, asset1 DedustAsset}?}
c015297f dedust_configure_trade_fee{query_id u64, trade_fee u16}
d55e4686 dedust_deposit_liquidity{query_id u64, amount coins, pool_params DedustPoolParams, min_lp_amount coins, asset0_target_balance coins, asset1_target_balance coins, fulfill_payload cell?, reject_payload cell?}
e1a36cd4 dedust_reject_deposit{query_id u64, proof ^DedustPoolProof, payload cell?}
e93405b9 dedust_provide_vault_state{query_id u64}
ea06185d dedust_swap{query_id u64, amount coins, "" DedustSwapStep, swap_params ^DedustSwapParams}
eda15922 dedust_configure_fee_collector_addr{query_id u64, fee_collector_addr addrInt}
f04ec526 dedust_create_liquidity_deposit{query_id u64, proof ^DedustVaultProof, owner_addr addrInt, pool_params DedustPoolParams, "" ^{asset0_target_balance coins, asset1_target_balance coins, deposit_asset DedustAsset, deposit_amount coins, min_lp_amount coins}, fulfill_payload cell?, reject_payload cell?}
f1989255 dedust_forward{query_id u64, destination addrInt, body cell}
# group 10: internal bodies
0302cd79 storm_deploy_ordinary_sa{query_id u64, user_public_keys dict<256,rest>}
04db6665 storm_change_lazer_data{query_id u64, response_destination addrInt, oracle_flag StormOracleType, index_asset_pyth_id u32, settlement_asset_pyth_id u32}
0b9d20cc storm_change_cold_key_factory{query_id u64, new_cold_key u256}
0c6ca95e storm_update_sa_ordinary_code{query_id u64, version u8, new_code cell}
0ef28735 storm_change_max_leverage{query_id u64, response_destination addrInt, new_max_leverage u32}
13076670 storm_provide_position{direction u1, gas_to_addr addr, inner_opcode u32, executor_index u32, oracle_ref ^StormOraclePayload}
13559d58 storm_change_factory_content{query_id u64, new_content cell}
174c830c storm_change_lazer_data_request{query_id u64, vamm_address addrInt, oracle_flag StormOracleType, index_asset_pyth_id u32, settlement_asset_pyth_id u32}
179d61f9 storm_change_factory_code{query_id u64, new_code cell}
186b2edf storm_deposit_notify{query_id u64, amount coins, sender_address addrInt, jetton_minter_address addrInt}
18a092f7 storm_deposit_notify_with_deploy{query_id u64, vault_address addrInt, amount coins, sender_address addrInt, init_data StormInitializationData}
1bd24ca6 storm_change_hot_key_factory{query_id u64, new_hot_key u256}
1bea50f1 storm_take_position_v2{query_id u64, bundle_sender_address addr, amm_address addrInt, direction StormDirection, spent_amount coins, addresses ^StormAddressesData, ref_count u4, ref_data StormReferralData@if(ref_count), position ^StormPositionData, intent ^StormIntent}
1ca43d2f storm_notify_update_position{query_id u64, jetton_minter_address addrInt, notification_payload ^StormNotificationPayload}
20d835c2 storm_withdraw_success{query_id u64}
220c4c19 storm_add_public_key{query_id u64, public_key u256}
28055719 storm_change_max_leverage_request{query_id u64, vamm_address addrInt, new_max_leverage u32}
28d36491 storm_trade_notification_v2{query_id u64, asset_id u16, free_amount i64, locked_amount i64, exchange_amount i64, withdraw_locked_amount u64, fee_to_stakers u64, executor_amount u64, total_referrer_amount u64, ref_count u4, referral_data dict<4,StormReferrerData>, sa_address addrInt, notification_payload ^StormNotificationPayload}
29bb3721 storm_deposit_native{query_id u64, amount coins, receiver_address addrInt, init bool, key_init StormInitializationRequest}
3475fdd2 storm_trade_notification{asset_id u16, free_amount i64, locked_amount i64, exchange_amount i64, withdraw_locked_amount u64, fee_to_stakers u64, withdraw_amount u64, trader_addr addrInt, origin_addr addrInt, referral_data ^StormNotificationReferralParams?, executor_params ^StormNotificationExecutorParams?}
367f2743 storm_fail_notification{query_id u64, spent_amount coins, jetton_minter_address addrInt, amm_address addrInt, direction StormDirection, bundle_sender_address addr, intent ^StormIntent}
3e56c929 storm_change_v3_state{query_id u64}
4fedc82b storm_referral_fees{query_id u64, referral_sa_address addrInt, amount coins, jetton_minter_address addrInt, notification_payload ^StormNotificationPayload}
512cbd25 storm_withdraw_request{query_id u64, amount coins, owner_address addrInt}
5a091c43 storm_deposit_ton{query_id u64}
5a89f5a2 storm_notify_with_deploy{query_id u64, amount coins, user_public_keys dict<256,rest>, sender_address addrInt, owner_address addrInt, jetton_minter_address addrInt}
5a8cf652 storm_force_close_min_margin{executor_index u32, oracle_payload ^StormOraclePayload}
5b0dd9f4 storm_init_sa{query_id u64, init_data StormInitializationData}
5b27f9c5 storm_deposit_revert{query_id u64, amount coins, sender_address addr, owner_address addrInt}
5b705138 storm_force_close_max_leverage{executor_index u32, oracle_payload ^StormOraclePayload}
5f40f1ec storm_execute_orders_bundle{query_id u64, signature b512, payload ^StormExternalMsgPayload}
60dfc677 storm_update_position{direction StormDirection, origin_op u32, oracle_price coins, settlement_oracle_price coins, new_position_ref ^StormPositionData, amm_state_log ^StormAmmStateLog}
644794b8 storm_remove_all_keys_except_current{query_id u64, public_key u256}
666392ee storm_failed_bundle_execution{query_id u64, asset_id u16, error_code u16, spent_amount coins, sa_address addrInt, amm_address addrInt, direction StormDirection, bundle_sender_address addr, intent ^StormIntent}
6cde12e2 storm_unsuccessful_deposit{query_id u64}
6eec039d storm_withdraw_request_user{query_id u64, vault_address addrInt, amount coins}
70246da6 storm_change_cold_key{query_id u64, response_destination addr, new_cold_key u256}
76519f8b storm_remove_public_key{query_id u64, public_key u256}
76840119 storm_deposit_jetton{query_id u64, receiver_address addrInt, init bool, key_init StormInitializationRequest}
7a0bda1c storm_change_cold_key_request{query_id u64, sa_address addrInt}
cf90d618 storm_complete_order{order_type u4, order_index u3, direction StormDirection, origin_op u32, oracle_price coins, settlement_oracle_price coins, new_position_ref ^StormPositionData, amm_state_log ^StormAmmStateLog, market_depth_log_ref ^StormMarketDepth}
de1ddbcc storm_execute_order{direction StormDirection, order_index u3, trader_addr addrInt, prev_addr addrInt, ref_addr addr, executor_index u32, order ^StormUserOrder, position ^StormPositionData, oracle_payload ^StormOraclePayload}
# group 11: internal bodies
022fa189 cocoon_change_params{query_id u64, price_per_token coins, worker_fee_per_token coins, proxy_delay_before_close u32, client_delay_before_close u32, min_proxy_stake coins, min_client_stake coins}
08e7d036 cocoon_worker_proxy_payout_request{worker_part coins, proxy_part coins, send_excesses_to addr}
11aefd51 cocoon_upgrade_code{query_id u64, new_code cell}
2565934c cocoon_return_excesses_back{query_id u64}
26ed7f65 cocoon_owner_worker_register{query_id u64, send_excesses_to addr}
3c41d0b2 cocoon_del_proxy_type{query_id u64, proxy_hash u256}
4d725d2c cocoon_worker_proxy_request{query_id u64, owner_address addr, state u2, tokens u64, payload cell?}
4f7c5789 cocoon_upgrade_full{query_id u64, new_data cell, new_code cell}
563c1d96 cocoon_reset_root{query_id u64}
5cfc6b87 cocoon_client_proxy_top_up{top_up_coins coins, send_excesses_to addr}
636a4391 cocoon_close_request_payload{query_id u64, expected_my_address addr}
65448ff4 cocoon_client_proxy_request{query_id u64, owner_address addr, state_data cell, payload cell?}
6a1f6a60 cocoon_owner_client_increase_stake{query_id u64, new_stake coins, send_excesses_to addr}
6d49eaf2 cocoon_unregister_proxy{query_id u64, seqno u32}
71860e80 cocoon_add_proxy_type{query_id u64, proxy_hash u256}
7610e6eb cocoon_ext_proxy_payout_request{query_id u64, send_excesses_to addr}
8473b408 cocoon_owner_client_change_secret_hash_and_top_up{query_id u64, top_up_amount coins, new_secret_hash u256, send_excesses_to addr}
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
efd711e1 cocoon_grant_refund_payload{query_id u64, new_tokens_used u64, expected_my_address addr}
f172e6c2 cocoon_ext_client_top_up{query_id u64, top_up_amount coins, send_excesses_to addr}
f4c354c9 cocoon_client_proxy_refund_force{coins coins, send_excesses_to addr}
f5f26a36 cocoon_last_payout_payload{query_id u64, new_tokens u64, expected_my_address addr}
fafa6cc1 cocoon_owner_client_request_refund{query_id u64, send_excesses_to addr}
# group 12: external bodies
-/0 signed_2fa_external{ref_with_certificate ^Certificate2Fa, ref_seed_signature ^SeedSignature, payload Payload2Fa, certificate_signature b512}
012e8f40 logs{log_dict dict<8,StormIntentLog>}
01d81ebc storm_self_deposit_jetton{query_id u64, signature b512, signed_payload ^StormSignedSelfDepositJettonPayload}
04c52fd2 storm_execute_orders_bundle{query_id u64, signature b512, payload ^StormExternalMsgPayload}
0a9577f0 coffee_staking_rewards_updated{query_id u64, jetton_wallet addrInt, duration u64, finish_at u64, rewards_rate coins}
2114702d cron_trigger{reward_address addr, salt u32}
27756729 tgbtc_new_key_event{amount coins, new_internal_pubkey u256, pegout_address addr}
34d2e9f9 storm_change_hot_key{query_id u64, signature b512, signed_payload ^SignedChangeKeyPayload}
453443a6 tgbtc_dkg_completed_event{timestamp u64, internal_pubkey u256}
558e804a storm_self_deposit_native{query_id u64, signature b512, signed_payload ^StormSignedSelfDepositNativePayload}
56a8e920 megaton_update_mining_params{pool_addr addrInt, last_mined u256, last_index u256, "" ^MegatonUpdateMiningParams}
7362d09c megaton_swap{account_addr addrInt, in_token_addr addrInt, in_amount coins, "" ^{out_token_addr addrInt, out_amount coins}}
77a80ef3 tgbtc_mint_event{amount coins, recipient_address addr, bitcoin_txid u256}
ac392598 scaled_ui_display_multiplier_changed{numerator vu32, denominator vu32, comment SnakeString?}
b30c7310 coffee_staking_rewards_claimed{query_id u64, jetton_wallet addrInt, amount coins, receiver addrInt}
c0ffee30 coffee_swap_succeeded{query_id u64, input CoffeeAsset, input_amount coins, output_amount coins, reserves CoffeePoolReserves, protocol_fee coins}
c0ffee31 coffee_swap_failed{query_id u64, input CoffeeAsset, input_amount coins, reserves ^CoffeePoolReserves?}
c0ffee33 coffee_deposit_liquidity_succeeded{query_id u64, amount1 coins, amount2 coins, lp_amount coins, total_supply CoffeePoolReserves, reserves CoffeePoolReserves}
c0ffee34 coffee_deposit_liquidity_failed{query_id u64, amount1 coins, amount2 coins, min_lp_amount coins, total_supply coins, reserves CoffeePoolReserves}
c0ffee35 coffee_withdraw_liquidity_succeeded{query_id u64, amount1 coins, amount2 coins, lp_amount coins, total_supply CoffeePoolReserves, reserves CoffeePoolReserves}
ca444ce6 tgbtc_burn_event{amount coins, sender_address addr, pegout_address addr}
ccc2c823 nerd_qr_verify{item_id u32, signature b512}
# group 13: forward payloads
00000042 evaa_supply_withdraw_master_jetton{"" SupplyWithdrawMasterJettonParams}
00000401 evaa_supply_withdraw_master_without_prices{"" SupplyWithdrawMasterJettonParams}
01fb7a25 tegro_jetton_swap_forward_payload{extract bool, max_in vu16, min_out vu16, destination addr, error_destination addr, payload cell?}
c0ffede/28 coffee_staking_lock_forward_payload{period_id u32}
2167da4b encrypted_text_comment_forward_payload{cipher_text Bytes}
25938561 stonfi_swap_forward_payload{token_wallet addr, min_out vu16, to_address addr, referral_address addr?}
287e167a tegro_add_liquidity_forward_payload{amount_a vu16, abount_b vu16}
37c096df stonfi_provide_lp_v2_forward_payload{token_wallet1 addr, refund_address addr, excesses_address addr, tx_deadline u64, "" ^CrossProvideLpBody}
3ea0bafc bidask_provide_both_forward_payload{ton_amount coins, deposit_type u4, liquidity_dict dict<32,i32>, reject_payload cell?, forward_payload cell?}
40e108d6 dedust_deposit_liquidity{pool_params DedustPoolParams, min_lp_amount coins, asset0_target_balance coins, asset1_target_balance coins, fulfill_payload cell?, reject_payload cell?}
4468de77 tonco_pool_fund_account_payload{other_jetton_wallet addr, amount0 vu16, amount1 vu16, liquidity u128, tick_lower i24, tick_upper i24}
45078540 stonfi_swap_ok_ref_forward_payload{}
4ee9b106 coffee_cross_dex_resend_forward_payload{next cell}
6664de2a stonfi_swap_v2_forward_payload{token_wallet1 addr, refund_address addr, excesses_address addr, tx_deadline u64, "" ^CrossSwapBody}
7aa23eb5 invoice_payload_forward_payload{id b128, url PaymentProviderUrl}
878da6e3 tonkeeper_relayer_fee_forward_payload{rest rest}
87d36990 bidask_swap_v2_forward_payload{to_address addr, slippage (coins | u256), exact_out coins, additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
96aa1586 moon_boost_pool_forward_payload{rest rest}
96feef7b bidask_provide_forward_payload{deposit_type u4, liquidity_dict dict<32,i32>, reject_payload cell?, forward_payload cell?}
99b49842 moon_fill_order_forward_payload{recipient addr, recipient_payload cell?, reject_address addr}
b31db781 moon_deposit_liquidity_forward_payload{min_lp_out vu16}
b37a900b moon_swap_forward_payload{swap_params MoonSwapParams}
b902e61a coffee_cross_dex_failure_forward_payload{query_id u64, recipient addrInt}
c0ffee10 coffee_swap_forward_payload{"" CoffeeSwapStepParams, params ^CoffeeSwapParams}
c0ffee11 coffee_create_pool_forward_payload{params CoffeePoolParams, creation_params CoffeePoolCreationParams}
c0ffee12 coffee_deposit_liquidity_forward_payload{params CoffeeDepositLiquidityParams}
c0ffee36 coffee_notification_forward_payload{query_id u64, body cell}
c47c1f57 moon_swap_failed_forward_payload{rest rest}
c64370e5 stonfi_swap_ok_forward_payload{}
cb7f38d6 moon_swap_succeed_forward_payload{rest rest}
da067c19 moon_create_order_forward_payload{asset1_id addr, asset2_id addr, order_data MoonOrderParams}
e3a0d482 dedust_swap{"" DedustSwapStep, swap_params ^DedustSwapParams}
ee51ce51 coffee_mev_protect_failed_swap_forward_payload{query_id u64, recipient addrInt}
f2ef6c1b bidask_swap_forward_payload{to_address addr, slippage (coins | u256), exact_out coins, ref_address addr, additional_data cell?, reject_payload cell?, forward_payload cell?}
fcf9e58f stonfi_provide_liquidity_forward_payload{token_wallet addr, min_lp_out vu16}
`
