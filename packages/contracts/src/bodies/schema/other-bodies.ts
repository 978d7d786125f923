/** Bodies of external messages, group 12. See `bodies.ts`. */
export const EXTERNAL_BODIES = `
# group 12: external bodies
-/0 signed_2fa_external{ref_with_certificate ^Certificate2Fa, ref_seed_signature ^SeedSignature, payload
  Payload2Fa, certificate_signature b512}
012e8f40 logs{log_dict dict<8,StormIntentLog>}
01d81ebc storm_self_deposit_jetton{query_id u64, signature b512, signed_payload
  ^StormSignedSelfDepositJettonPayload}
04c52fd2 storm_execute_orders_bundle{query_id u64, signature b512, payload ^StormExternalMsgPayload}
0a9577f0 coffee_staking_rewards_updated{query_id u64, jetton_wallet addrInt, duration u64, finish_at u64,
  rewards_rate coins}
2114702d cron_trigger{reward_address addr, salt u32}
27756729 tgbtc_new_key_event{amount coins, new_internal_pubkey u256, pegout_address addr}
34d2e9f9 storm_change_hot_key{query_id u64, signature b512, signed_payload ^SignedChangeKeyPayload}
453443a6 tgbtc_dkg_completed_event{timestamp u64, internal_pubkey u256}
558e804a storm_self_deposit_native{query_id u64, signature b512, signed_payload
  ^StormSignedSelfDepositNativePayload}
56a8e920 megaton_update_mining_params{pool_addr addrInt, last_mined u256, last_index u256, ""
  ^MegatonUpdateMiningParams}
7362d09c megaton_swap{account_addr addrInt, in_token_addr addrInt, in_amount coins, "" ^{out_token_addr
  addrInt, out_amount coins}}
77a80ef3 tgbtc_mint_event{amount coins, recipient_address addr, bitcoin_txid u256}
ac392598 scaled_ui_display_multiplier_changed{numerator vu32, denominator vu32, comment SnakeString?}
b30c7310 coffee_staking_rewards_claimed{query_id u64, jetton_wallet addrInt, amount coins, receiver addrInt}
c0ffee30 coffee_swap_succeeded{query_id u64, input CoffeeAsset, input_amount coins, output_amount coins,
  reserves CoffeePoolReserves, protocol_fee coins}
c0ffee31 coffee_swap_failed{query_id u64, input CoffeeAsset, input_amount coins, reserves
  ^CoffeePoolReserves?}
c0ffee33 coffee_deposit_liquidity_succeeded{query_id u64, amount1 coins, amount2 coins, lp_amount coins,
  total_supply CoffeePoolReserves, reserves CoffeePoolReserves}
c0ffee34 coffee_deposit_liquidity_failed{query_id u64, amount1 coins, amount2 coins, min_lp_amount coins,
  total_supply coins, reserves CoffeePoolReserves}
c0ffee35 coffee_withdraw_liquidity_succeeded{query_id u64, amount1 coins, amount2 coins, lp_amount coins,
  total_supply CoffeePoolReserves, reserves CoffeePoolReserves}
ca444ce6 tgbtc_burn_event{amount coins, sender_address addr, pegout_address addr}
ccc2c823 nerd_qr_verify{item_id u32, signature b512}
`

/** Forward payloads, carried in the bodies of token messages, group 13. See `bodies.ts`. */
export const FORWARD_PAYLOADS = `
# group 13: forward payloads
00000042 evaa_supply_withdraw_master_jetton{"" SupplyWithdrawMasterJettonParams}
00000401 evaa_supply_withdraw_master_without_prices{"" SupplyWithdrawMasterJettonParams}
01fb7a25 tegro_jetton_swap_forward_payload{extract bool, max_in vu16, min_out vu16, destination addr,
  error_destination addr, payload cell?}
c0ffede/28 coffee_staking_lock_forward_payload{period_id u32}
2167da4b encrypted_text_comment_forward_payload{cipher_text Bytes}
25938561 stonfi_swap_forward_payload{token_wallet addr, min_out vu16, to_address addr, referral_address addr?}
287e167a tegro_add_liquidity_forward_payload{amount_a vu16, abount_b vu16}
37c096df stonfi_provide_lp_v2_forward_payload{token_wallet1 addr, refund_address addr, excesses_address addr,
  tx_deadline u64, "" ^CrossProvideLpBody}
3ea0bafc bidask_provide_both_forward_payload{ton_amount coins, deposit_type u4, liquidity_dict dict<32,i32>,
  reject_payload cell?, forward_payload cell?}
40e108d6 dedust_deposit_liquidity{pool_params DedustPoolParams, min_lp_amount coins, asset0_target_balance
  coins, asset1_target_balance coins, fulfill_payload cell?, reject_payload cell?}
4468de77 tonco_pool_fund_account_payload{other_jetton_wallet addr, amount0 vu16, amount1 vu16, liquidity u128,
  tick_lower i24, tick_upper i24}
45078540 stonfi_swap_ok_ref_forward_payload{}
4ee9b106 coffee_cross_dex_resend_forward_payload{next cell}
6664de2a stonfi_swap_v2_forward_payload{token_wallet1 addr, refund_address addr, excesses_address addr,
  tx_deadline u64, "" ^CrossSwapBody}
7aa23eb5 invoice_payload_forward_payload{id b128, url PaymentProviderUrl}
878da6e3 tonkeeper_relayer_fee_forward_payload{rest rest}
87d36990 bidask_swap_v2_forward_payload{to_address addr, slippage (coins | u256), exact_out coins,
  additional_data ^BidaskAdditionalData?, reject_payload cell?, forward_payload cell?}
96aa1586 moon_boost_pool_forward_payload{rest rest}
96feef7b bidask_provide_forward_payload{deposit_type u4, liquidity_dict dict<32,i32>, reject_payload cell?,
  forward_payload cell?}
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
f2ef6c1b bidask_swap_forward_payload{to_address addr, slippage (coins | u256), exact_out coins, ref_address
  addr, additional_data cell?, reject_payload cell?, forward_payload cell?}
fcf9e58f stonfi_provide_liquidity_forward_payload{token_wallet addr, min_lp_out vu16}
`
