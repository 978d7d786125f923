/**
 * Types of body fields: `Name = constructor{fields} | constructor{fields}`; an indented line continues its
 * row. Notation: ./README.md.
 */
export const TYPES = `
AdditionalFields = additional_fields{to_user_address addr, refund_address addr, excess_address addr}
AdditionalFieldsAddLiquidityV2 = additional_fields_add_liquidity_v2{refund_address addr, excess_address addr}
AdditionalInfoPayToV2 = additional_info_pay_to_v2{fwd_ton_amount coins, amount0_out vu16, token0_address addr,
  amount1_out vu16, token1_address addr}
AdditionalInfoPayVaultV2 = additional_info_pay_vault_v2{amount0_out vu16, token0_address addr, amount1_out
  vu16, token1_address addr}
ApproverHalter = {approver addr, halter addr}
AssetConfig = {jw_address_hash EvaaAddressHash, decimals u8, params ^AssetConfigParams}
AssetConfigCollection = {asset_configs dict<256,AssetConfig>}
AssetConfigParams = {collateral_factor u16, liquidation_threshold u16, liquidation_bonus u16, base_borrow_rate
  u64, borrow_rate_slope_low u64, borrow_rate_slope_high u64, supply_rate_slope_low u64,
  supply_rate_slope_high u64, target_utilization u64, origination_fee u64, dust_value u64, max_total_supply
  u64, reserve_factor u16, liquidation_reserve_factor u16, min_principal_for_rewards u64,
  base_tracking_supply_speed u64, base_tracking_borrow_speed u64}
AssetDynamics = {s_rate EvaaSbRate, b_rate EvaaSbRate, total_supply_principal EvaaPrincipal,
  total_borrow_principal EvaaPrincipal, last_accrual EvaaTimestamp, token_balance EvaaBalance,
  tracking_supply_index EvaaTrackingIndex, tracking_borrow_index EvaaTrackingIndex, awaited_supply
  EvaaBalance}
AssetDynamicsCollection = {asset_dynamics dict<256,AssetDynamics>}
BidaskAdditionalData = additional_data{from_address addr, ref_address addr}
BidaskDexPayload = {first_bin i32, liquidity_dict dict<32,i32>, current_bin i32, remaining rest}
BidaskFarmingData = farming_data{distributed_x_amount coins, distributed_y_amount coins}
BidaskSwapAdditionalData = swap_additional{previous_time u64, start_price u256, actual_fee u16,
  distributed_x_amount coins, distributed_y_amount coins}
BoolExtended = 0b11:bool_true{} | 0b00:bool_false{}
Bytes = {"" rest}
Certificate2Fa = certificate{data CertificateData2Fa, signature b512}
CertificateData2Fa = certificate_data{valid_until u64, pubkey b256}
CoffeeAMM = 0b000:constant_product{} | 0b001:curve_fi_stable{}
CoffeeAsset = 0b00:native{} | 0b01:jetton{chain u8, hash u256} | 0b10:extra{id u32}
CoffeeContractUpdate = contract_update{code cell?, data cell?}
CoffeeDepositLiquidityCondition = 0b00:none{} | 0b01:lp_quantity{min_lp_amount coins} |
  0b10:reserves_ratio{denominator u16, min_nominator u16, max_nominator u16} | 0b11:complex{min_lp_amount
  coins, denominator u16, min_nominator u16, max_nominator u16}
CoffeeDepositLiquidityParams = deposit_liquidity_params{params ^CoffeeDepositLiquidityParamsTrimmed,
  pool_params ^CoffeePoolParams}
CoffeeDepositLiquidityParamsTrimmed = deposit_liquidity_params_trimmed{recipient addrInt,
  use_recipient_on_failure i1, referral addrInt, deadline u32, condition CoffeeDepositLiquidityCondition,
  extra_settings cell?, notification_data ^CoffeeNotificationData?}
CoffeeNotificationData = notification_data{on_success ^CoffeeNotificationDataSingle?, on_failure
  ^CoffeeNotificationDataSingle?}
CoffeeNotificationDataSingle = notification_data_single{receiver addrInt, fwd_gas coins, payload cell}
CoffeePoolCreationParams = pool_creation_params{public CoffeePublicPoolCreationParams, private
  CoffeePrivatePoolCreationParams}
CoffeePoolParams = pool_params{first CoffeeAsset, second CoffeeAsset, amm CoffeeAMM, amm_settings cell?}
CoffeePoolReserves = pool_reserves{input_reserve coins, output_reserve coins}
CoffeePrivatePoolCreationParams = private_pool_creation_params{is_active u1, extra_settings cell?}
CoffeePublicPoolCreationParams = public_pool_creation_params{recipient addrInt, use_recipient_on_failure i1,
  notification_data cell?}
CoffeeStakingAssetData = staking_asset_data{wallet addrInt, amount coins}
CoffeeStakingForwardData = staking_forward_data{gas coins, payload cell}
CoffeeStakingPositionData = staking_position_data{user_points coins, additional_points coins, start_timestamp
  u64, end_timestamp u64, period_id u32}
CoffeeSwapParams = swap_params{deadline u32, recipient addrInt, referral addrInt, notification_data
  ^CoffeeNotificationData?}
CoffeeSwapStepInternalParams = swap_step_internal_params{previous_amount coins, previous_asset_hint
  CoffeeAsset?, min_output_amount coins, next ^CoffeeSwapStepParams?}
CoffeeSwapStepParams = swap_step_params{pool_address_hash u256, min_output_amount coins, next
  ^CoffeeSwapStepParams?}
CommonMsgInfoRelaxed = 0b0:int_msg_info{ihr_disabled bool, bounce bool, bounced bool, src addr, dest addrInt,
  value CurrencyCollection, ihr_fee grams, fwd_fee grams, created_lt u64, created_at u32} |
  0b11:ext_out_msg_info{src addr, dest addrExt, created_lt u64, created_at u32}
ConditionalPayment = cp{amount coins, condition rest}
CrossProvideLpBody = cross_provide_lp_body{min_lp_out vu16, to_address addr, both_positive u1, fwd_amount
  coins, custom_payload cell?}
CrossSwapBody = cross_swap_body{min_out vu16, receiver addr, fwd_gas coins, custom_payload cell?,
  refund_fwd_gas coins, refund_payload cell?, ref_fee u16, ref_address addr}
DNSRecord = 1eda:dns_text{"" Text} | ba93:dns_next_resolver{resolver addrInt} |
  ad01:dns_adnl_address{adnl_addr b256, flags u8, proto_list ProtoList@if(flags.0)} |
  9fd3:dns_smc_address{smc_addr addrInt, flags u8, cap_list SmcCapList@if(flags.0)} |
  7473:dns_storage_address{bag_id b256}
DedustAsset = 0b0000:native{} | 0b0001:jetton{workchain_id i8, address b256}
DedustAssetType = {asset_type u4}
DedustContractType = 01:vault{} | 02:pool{} | 03:liquidity_deposit{} | 04:operator{}
DedustDepositLiquidityParams = {min_lp_amount coins, asset0_target_balance coins, asset1_target_balance coins}
DedustLiquidityDepositProof = {proof DedustProof<^{owner_addr addrInt, pool_params DedustPoolParams}>}
DedustPoolParams = pool_params{is_stable bool, asset0 DedustAsset, asset1 DedustAsset}
DedustPoolProof = {proof DedustProof<DedustPoolParams>}
DedustProof = [X] proof{factory_addr addrInt, contract_type DedustContractType, params X}
DedustRole = 01:code_installer{} | 02:code_updater{} | 03:fee_collector{} | 04:fee_configurator{} |
  05:stable_pool_factory{} | 06:legacy_vault_factory{} | 07:quote_synchronizer{} | 08:quote_configurator{}
DedustSwapKind = 0b0:given_in{} | 0b1:given_out{}
DedustSwapParams = swap_params{deadline DedustTimestamp, recipient_addr addr, referral_addr addr,
  fulfill_payload cell?, reject_payload cell?}
DedustSwapStep = step{pool_addr addrInt, params DedustSwapStepParams}
DedustSwapStepParams = step_params{kind DedustSwapKind, limit coins, next ^DedustSwapStep?}
DedustTimestamp = {timestamp u32}
DedustVaultProof = {proof DedustProof<DedustAsset>}
DedustVersion = {version u16}
DexPayload = dex_payload{transferred_op u32, token_wallet1 addr, refund_address addr, excesses_address addr,
  tx_deadline u64, "" ^SwapBody}
DexPayloadProvideLpV2 = dex_payload_provide_lp_v2{transferred_op u32, token_wallet1 addr, refund_address addr,
  excesses_address addr, tx_deadline u64, "" ^ProvideLpBodyV2}
EvaaAddressHash = {address_hash u256}
EvaaAmount = {amount u64}
EvaaAssetId = {asset_id u256}
EvaaBalance = {balance u64}
EvaaPrincipal = {principal i64}
EvaaSbRate = {sb_rate u64}
EvaaTimestamp = {timestamp u32}
EvaaTrackingIndex = {tracking_index u64}
HighloadV1MsgBody = highload_wallet_signed_v1{signature b512, subwallet_id u32, valid_until u32, msg_seqno
  u32, payload ^dictRoot<16,ModeWithMessage>}
HighloadV2MsgBody = highload_wallet_signed_v2{signature b512, subwallet_id u32, query_id u64, payload
  dict<16,ModeWithMessage>}
HighloadV3InternalRequest = [n] ae42e5a4:highload_v3_internal_request{query_id u64, actions ^OutList<n>}
HighloadV3MsgBody = highload_wallet_signed_v3{signature b512, msg_inner ^HighloadV3MsgInner}
HighloadV3MsgInner = {subwallet_id u32, message_to_send ^MessageRelaxed<rest>, send_mode u8, query_id
  HighloadV3QueryId, created_at u64, timeout u22}
HighloadV3QueryId = {shift u13, bit_number u10}
InitMasterPackedData = {new_asset_dynamics_collection ^AssetDynamicsCollection, tokens_keys cell}
InvertedMaybe = [X] 0b1:nothing_from_inverted_maybe{} | [X] 0b0:just_from_inverted_maybe{value X}
LibRef = 0b0:libref_hash{lib_hash b256} | 0b1:libref_ref{library cell}
LiquidationError = 000031f0:user_withdraw_in_progress{} | 000031f2:not_liquidatable{} |
  000031f7:liquidation_prices_missing{} | 000031f3:min_collateral_not_satisfied{collateral_amount EvaaAmount}
  | 000031f4:user_not_enough_collateral{collateral_present EvaaAmount} |
  000031f5:user_liquidating_too_much{max_not_too_much EvaaAmount} | 000031fe:liqudation_execution_crashed{}
LiquidationMasterError = 000030f1:master_liquidating_too_much{max_allowed_liquidation EvaaAmount} |
  000031f6:master_not_enough_liquidity{available_liquidity EvaaAmount} |
  000031fe:liqudation_execution_crashed{}
MasterConfig = master_config{asset_config_collection AssetConfigCollection, if_active i8, admin addrInt,
  oracles_info OraclesInfo, tokens_keys cell?, maybe_supervisor_address_cell rest}
MasterStorage = storage{meta cell, upgrade_config ^UpgradeConfig, master_config ^MasterConfig,
  asset_dynamics_collection AssetDynamicsCollection}
MegatonUpdateMiningParams = {last_mined u256, last_index u256}
MessageRelaxed = [X] message{info CommonMsgInfoRelaxed, init (StateInit | ^StateInit)?, body (X | ^X)}
ModeWithMessage = {mode u8, msg ^MessageRelaxed<rest>}
MoonNextPayload = next_payload{recipient addr, payload cell?}
MoonOrderParams = order_data{rate u256, lock u2, vesting_time u64}
MoonSwapParams = swap_params{min_out vu16, deadline u64, excess addr?, referral addr?, next_fulfill
  ^MoonNextPayload?, next_reject ^MoonNextPayload?}
MulisigAction = f1381e5b:send_message{mode u8, message ^MessageRelaxed<rest>} |
  1d0cfbd3:update_multisig_param{threshold u8, signers ^dictRoot<8,addrInt>, proposers dict<8,addrInt>}
MultisigOrder = {"" dictRoot<8,^MulisigAction>}
NftRoyaltyParams = nft_royalty_params{numerator u16, denominator u16, destination addr}
OraclesInfo = oracles_info{total_oracles u16, threshold u16, oracles cell}
OutAction = 0ec3c86d:action_send_msg{mode u8, out_msg ^MessageRelaxed<rest>} |
  ad4de08e:action_set_code{new_code cell} | 36e6b809:action_reserve_currency{mode u8, currency
  CurrencyCollection} | 26fa1dd4:action_change_library{mode u7, libref LibRef}
OutList = [0] out_list_empty{} | [n + 1] out_list{prev ^OutList<n>, action OutAction}
Payload2Fa = b15f2c8c:send_actions{seqno u32, valid_until u64, msg cell, mode u8} |
  9d8084d6:remove_extension{seqno u32, valid_until u64} | 23d9c15c:delegation{seqno u32, valid_until u64,
  new_state_init cell, forward_amount coins} | de82b501:cancel_delegation{seqno u32, valid_until u64}
PaymentProviderUrl = 00:none{} | 01:tonsite{address b256}
PreprocessedWalletV2MsgBody = [n] preprocessed_wallet_signed_v2{signature b512, inner
  ^PreprocessedWalletV2MsgInner<n>}
PreprocessedWalletV2MsgInner = [n] {valid_until u64, seqno u16, actions ^OutList<n>}
PriceAssets = price_assets{id u256, price coins, next_asset ^PriceAssets?}
PriceOraclesData = price_oracles_data{oracle_id u32, proof cell, signature b512, next_oracles_data
  ^PriceOraclesData?}
PricesPacked = prices_packed{assets ^PriceAssets, oracles_data ^PriceOraclesData}
ProtoList = 0b0:proto_list_nil{} | 0b1:proto_list_next{item Protocol, next ProtoList}
Protocol = 4854:proto_http{}
ProvideLpBodyV2 = provide_lp_body_v2{min_lp_out vu16, to_address addr, both_positive u1, fwd_amount coins,
  custom_payload cell?}
SWGeneral = sw_general{include_user_code BoolExtended, ton_amount_for_repay_remainings EvaaAmount,
  custom_response_payload cell, swm_opt_rest rest}
SWGeneralUser = sw_general_user{ton_amount_for_repay_remainings EvaaAmount, custom_response_payload cell, ""
  SupplyMasterWithdrawExtData}
SWSupply = sw_supply{supply_amount EvaaAmount}
SWSupplyEmpty = sw_supply_empty{}
SWSupplyUser = sw_supply_user{"" SWSupply, supply_asset_id EvaaAssetId}
SWWithdraw = sw_withdraw{withdraw_amount EvaaAmount, withdraw_asset_id EvaaAssetId,
  recipient_address_of_withdraw addrInt}
SWWithdrawEmpty = sw_withdraw_empty{}
SWWithdrawUser = sw_withdraw_user{"" SWWithdraw, prices_packed cell}
SeedSignature = {seed_signature b512}
SemiChannel = 43685374:semichannel_state{channel_id u128, data SemiChannelBody, counterparty_data
  ^SemiChannelBody?}
SemiChannelBody = sc_body{seqno u64, sent coins, conditionals dict<32,ConditionalPayment>}
SignedChangeKeyPayload = {query_id StormExecutorQueryId, created_at u32, sa_address addrInt, new_hot_key u256}
SignedSemiChannel = signed_schs{signature b512, state SemiChannel}
SmcCapList = 0b0:cap_list_nil{} | 0b1:cap_list_next{item SmcCapability, next SmcCapList}
SmcCapability = 5371:cap_method_seqno{} | 71f4:cap_method_pubkey{} | 2177:cap_is_wallet{} | ff:cap_name{name
  Text}
StateInit = {fixed_prefix_length u5?, special TickTock?, code cell?, data cell?, library cell?}
StonfiPayToParams = pay_to_params{amount0_out vu16, token0_address addr, amount1_out vu16, token1_address
  addr}
StonfiSwapAddrs = swap_addresses{from_user addr}
StormAddressesData = {trader_address addrInt, smart_account_factory_address addrInt, vault_address addr}
StormAmmStateLog = amm_state_log{quote_asset_reserve coins, quote_asset_weight coins, base_asset_reserve
  coins, total_long_position_size coins, total_short_position_size coins, open_interest_long coins,
  open_interest_short coins}
StormCreateOrder = 2:limit_order{expiration u32, direction StormDirection, amount coins, leverage u64,
  limit_price coins, stop_price coins, stop_trigger_price coins, take_trigger_price coins} |
  3:market_order{expiration u32, direction StormDirection, amount coins, leverage u64, limit_price coins,
  stop_price coins, stop_trigger_price coins, take_trigger_price coins}
StormCreatedOraclePayload = 00:created_price{update_msg ^StormUpdateMsg, signatures ^StormSignature} |
  01:created_price_with_settlement{update_msg ^StormUpdateMsg, signatures ^StormSignature,
  settlement_update_msg ^StormUpdateMsg, settlement_signatures ^StormSignature}
StormDirection = 0b0:long{} | 0b1:short{}
StormDoubleOraclePayload = with_settlement{update_msg ^StormUpdateMsg, signatures ^StormSignature,
  settlement_update_msg ^StormUpdateMsg, settlement_signatures ^StormSignature}
StormExecuteSelector = 0b0:execute_stop{} | 0b1:execute_take{}
StormExecutorIntent = {amm_address addrInt, sa_address addrInt, order ^StormExecutorOrder}
StormExecutorOrder = 6:liquidate{direction StormDirection} | 7:force_close{direction StormDirection} |
  9:force_close_max_leverage{direction StormDirection} | a:force_close_min_margin{direction StormDirection}
StormExecutorQueryId = {shift u13, bit_number u10}
StormExternalMsgPayload = {query_id StormExecutorQueryId, created_at u32, sa_address addrInt, actual_version
  u8, upgrade_payload ^StormSignedUpgradePayload?, msg ^MessageRelaxed<rest>?}
StormInitializationData = {highload_timeout u24, keys ^StormKeys, version u8, new_code cell}
StormInitializationRequest = 0b1:need_key_init{user_public_keys dict<256,rest>} | 0b0:no_key_init{}
StormIntent = 0b0:user_intent{signature b512, intent ^StormUserIntent, oracle_payload ^StormOraclePayload,
  next_intent ^StormIntent?} | 0b1:executor_intent{intent ^StormExecutorIntent, oracle_payload
  ^StormOraclePayload, next_intent ^StormIntent?}
StormIntentLog = {type StormLogType, size i128, margin coins, open_notional coins, last_updated_cpf i64,
  realized_pnl i64, funding_payment i64, rollover_fee u64, position_fee_rate u32, executor_fee_rate u32,
  position_fee_amount coins, executor_fee_amount coins, fee_to_stakers_percent u32}
StormKeys = {hot_public_key u256, cold_public_key u256, user_public_keys dict<256,rest>, keys_count u8}
StormLazerFeed = {number_of_properties u8, price_property_id u8, price_property_value u64,
  exponent_property_id u8, exponent_property_value i16}
StormLazerMessage = 9a99222a:lazer_message{r u256, s u256, v u8, payload_length u16, payload
  StormLazerPayload}
StormLazerPayload = 0b0:single_lazer_payload{magic StormLazerPayloadMagic, timestamp u64, channel_id u8,
  number_of_feeds u8, index_feed_id u32, index_feed StormLazerFeed} | 0b1:double_lazer_payload{magic
  StormLazerPayloadMagic, timestamp u64, channel_id u8, number_of_feeds u8, index_feed_id u32, index_feed
  StormLazerFeed, settlement_feed_id u32, settlement_feed StormLazerFeed}
StormLazerPayloadMagic = 93c7d375:lazer_payload_magic{}
StormLogType = 00:increase{} | 01:close{} | 02:add_margin{} | 03:remove_margin{}
StormMarketDepth = market_depth{vpi_spread coins, vpi_market_depth_long coins, vpi_market_depth_short coins,
  vpi_coefficient u64}
StormNotificationExecutorParams = executor_params{split_executor_reward u1, executor_amount coins,
  executor_index u32}
StormNotificationPayload = {bundle_sender_address addr, balance_delta coins, amm_address addrInt, direction
  StormDirection, position_data ^StormPositionData?}
StormNotificationReferralParams = referral_params{referral_amount coins, referral_addr addr}
StormOraclePayload = 00:single_lazer_payload{price_oracle_payload ^StormSingleOraclePayload, lazer_message
  ^StormLazerMessage?} | 01:double_lazer_payload{price_oracle_payload ^StormDoubleOraclePayload, lazer_message
  ^StormLazerMessage?} | 02:single_with_created{price_oracle_payload ^StormSingleOraclePayload,
  created_oracle_payload ^StormCreatedOraclePayload, lazer_message ^StormLazerMessage?, created_lazer_message
  ^StormLazerMessage?} | 03:double_with_created{price_oracle_payload ^StormDoubleOraclePayload,
  created_oracle_payload ^StormCreatedOraclePayload, lazer_message ^StormLazerMessage?, created_lazer_message
  ^StormLazerMessage?}
StormOracleType = 0:storm{} | 1:lazer{}
StormPositionData = {size i128, direction StormDirection, margin coins, open_notional coins,
  last_updated_cumulative_premium i64, fee u32, discount u32, rebate u32, last_updated_timestamp u32}
StormReferralData = {discount u32, rebate u32, ref_info dict<4,StormReferrerData>}
StormReferrerData = {referrer_address addrInt, referrer_part u8}
StormSignature = 0b0:empty{continue InvertedMaybe<^StormSignature>} | 0b1:fulled{signature b512, continue
  InvertedMaybe<^StormSignature>}
StormSignedSelfDepositJettonPayload = {external_query_id StormExecutorQueryId, created_at u32, sa_address
  addrInt, query_id u64, amount coins, vault_address addrInt, "" ^{jetton_wallet_address addrInt}}
StormSignedSelfDepositNativePayload = {external_query_id StormExecutorQueryId, created_at u32, sa_address
  addrInt, query_id u64, amount coins, vault_address addrInt}
StormSignedUpgradePayload = {signature b512, payload dict<8,StormUpgradePayload>}
StormSingleOraclePayload = without_settlement{update_msg ^StormUpdateMsg, signatures ^StormSignature}
StormUpdateMsg = update_msg{price coins, spread coins, timestamp u32, assetIndex u16, pause_at u32, unpause_at
  u32, vpi_spread coins, vpi_market_depth_long coins, vpi_market_depth_short coins, vpi_coefficient u64}
StormUpgradePayload = {migrate_code cell?, new_code cell?}
StormUserIntent = {query_id StormUserQueryId, created_at u32, reference_query_id StormUserQueryId?, public_key
  b256, intent ^StormUserIntentPayload}
StormUserIntentPayload = user_intent_payload{amm_address addrInt, sa_address addrInt, order ^StormUserOrder}
StormUserOrder = 0:stop_loss_order{expiration u32, direction StormDirection, amount coins, trigger_price
  coins} | 1:take_profit_order{expiration u32, direction StormDirection, amount coins, trigger_price coins} |
  {order StormCreateOrder} | 4:add_margin{direction StormDirection, amount coins} | 5:remove_margin{direction
  StormDirection, amount coins} | 8:request_order{selector StormExecuteSelector, order StormCreateOrder}
StormUserQueryId = {shift u13, bit_number u10}
SupplyMasterOptional = sm_opt_data{subaccount_id i16, return_repay_remainings_flag BoolExtended,
  custom_payload_recipient addrInt, custom_payload_saturation_flag BoolExtended}
SupplyMasterWithdrawExtData = swm_ext_data{subaccount_id i16, return_repay_remainings_flag BoolExtended,
  custom_payload_saturation_flag BoolExtended}
SupplyWithdrawFailGeneralData = {subaccount_id i16}
SupplyWithdrawFailSupplyData = {supply_asset_id EvaaAssetId, supply_principal_amount EvaaAmount}
SupplyWithdrawFailWithdrawData = {withdraw_asset_id EvaaAssetId, withdraw_principal_amount EvaaAmount}
SupplyWithdrawMasterJettonParams = supply_withdraw_master_jetton_params{supply_data ^SWSupplyEmpty,
  withdraw_data ^SWWithdraw, general_data ^SWGeneral}
SupplyWithdrawMasterParams = supply_withdraw_master_params{supply_data ^SWSupply, withdraw_data ^SWWithdraw,
  general_data ^SWGeneral}
SupplyWithdrawSatisfiedSupplyData = {owner_address addrInt, "" SWSupplyUser, supply_new_principal
  EvaaPrincipal, repay_amount_principal EvaaPrincipal, supply_amount_principal EvaaPrincipal}
SupplyWithdrawSatisfiedWithdrawData = {"" SWWithdraw, withdraw_new_principal EvaaPrincipal,
  borrow_amount_principal EvaaPrincipal, reclaim_amount_principal EvaaPrincipal}
SupplyWithdrawSuccessGeneralData = {asset_config_collection AssetConfigCollection, asset_dynamics_collection
  AssetDynamicsCollection, subaccount_id i16}
SupplyWithdrawSuccessSupplyData = {supply_asset_id EvaaAssetId, supply_principal_amount EvaaAmount}
SupplyWithdrawSuccessWithdrawData = {withdraw_asset_id EvaaAssetId, withdraw_principal_amount EvaaAmount}
SupplyWithdrawUnsatisfiedGeneralData = {ton_amount_for_repay_remainings EvaaAmount, custom_response_payload
  cell, subaccount_id i16}
SupplyWithdrawUnsatisfiedSupplyData = {owner_address addrInt, "" SWSupplyUser}
SupplyWithdrawUserParams = {asset_config_collection AssetConfigCollection, asset_dynamics_collection
  AssetDynamicsCollection, "" SWGeneralUser}
SwapBody = swap_body{min_out vu16, receiver addr, fwd_gas coins, custom_payload cell?, refund_fwd_gas coins,
  refund_payload cell?, ref_fee u16, ref_address addr}
TeleitemAuctionConfig = teleitem_auction_config{beneficiary_address addrInt, initial_min_bid grams, max_bid
  grams, min_bid_step u8, min_extend_time u32, duration u32}
TelemintRestrictions = telemint_restrictions{force_sender_address addrInt?, rewrite_sender_address addrInt?}
TelemintText = telemint_text{len u8, text b(len * 8)}
TelemintTokenInfo = telemint_token_info{name TelemintText, domain TelemintText}
TelemintUnsignedDeploy = telemint_unsigned_deploy{subwallet_id u32, valid_since u32, valid_till u32,
  token_name TelemintText, content cell, auction_config ^TeleitemAuctionConfig, royalty_params
  ^NftRoyaltyParams?}
TelemintUnsignedDeployV2 = telemint_unsigned_deploy_v2{subwallet_id u32, valid_since u32, valid_till u32,
  token_name TelemintText, content cell, auction_config ^TeleitemAuctionConfig, royalty_params
  ^NftRoyaltyParams?, restrictions ^TelemintRestrictions?}
Text = text{chunks u8, rest TextChunks<chunks>}
TextChunkRef = [n + 1] chunk_ref{ref ^TextChunks<n + 1>} | [0] chunk_ref_empty{}
TextChunks = [n + 1] text_chunk{len u8, data b(len * 8), next TextChunkRef<n>} | [0] text_chunk_empty{}
TgWalletMessageToSend = tg_wallet_message_to_send{send_mode u8, message ^MessageRelaxed<rest>}
TgWalletMsgBody = tg_wallet_signed{signature b512, request TgWalletRequest}
TgWalletRequest = 63896e74:tg_wallet_send_one_internal{subwallet_id u32, valid_until u32, seqno u32,
  send_mode u8, message ^MessageRelaxed<rest>} | 63896e75:tg_wallet_send_one_external{subwallet_id u32,
  valid_until u32, seqno u32, send_mode u8, message ^MessageRelaxed<rest>} |
  73896e74:tg_wallet_send_bulk_internal{subwallet_id u32, valid_until u32, seqno u32, messages_count u8,
  first_chunk cell?} | 73896e75:tg_wallet_send_bulk_external{subwallet_id u32, valid_until u32, seqno u32,
  messages_count u8, first_chunk cell?} | fbba99c7:tg_wallet_change_public_key_internal{subwallet_id u32,
  valid_until u32, seqno u32, new_public_key b256, rotation_signature ^{signature b512},
  encrypted_old_private_key ^{key b256}} | fbba99c7:tg_wallet_change_public_key_internal{subwallet_id u32,
  valid_until u32, seqno u32, new_public_key b256, rotation_signature ^{signature b512}} |
  fbba99c8:tg_wallet_change_public_key_external{subwallet_id u32, valid_until u32, seqno u32, new_public_key
  b256, rotation_signature ^{signature b512}, encrypted_old_private_key ^{key b256}} |
  fbba99c8:tg_wallet_change_public_key_external{subwallet_id u32, valid_until u32, seqno u32, new_public_key
  b256, rotation_signature ^{signature b512}}
TickTock = tick_tock{tick bool, tock bool}
ToncoCoinsInfoCell = {amount0 vu16, jetton0_address addr, amount1 vu16, jetton1_address addr}
ToncoCoinsInfoCellFull = {amount0 vu16, jetton0_address addr, amount1 vu16, jetton1_address addr, payload_cell
  ^ToncoPayloadCell}
ToncoIndexerBurnInfoCell = {nft_index u64, liquidity_burned u128, tick_lower i24, tick_upper i24, tick_burn
  i24}
ToncoIndexerSwapInfoCell = {liquidity u128, price_sqrt u160, tick i24, fee_growth_global_0x128 i256,
  fee_growth_global_1x128 i256}
ToncoMinterCell = {jetton0_minter addr, jetton1_minter addr}
ToncoMinterControllerCell = {jetton0_minter addr, jetton1_minter addr, controller_addr addr}
ToncoNewFeeCell = {fee_growth_inside_0_current_x128 u256, fee_growth_inside_1_current_x128 u256}
ToncoOldFeeCell = {fee_growth_inside_0_last_x128 u256, fee_growth_inside_1_last_x128 u256}
ToncoOldFeeCellFull = {fee_growth_inside_0_last_x128 u256, fee_growth_inside_1_last_x128 u256, nft_index u64,
  jetton0_amount vu16, jetton1_amount vu16, tick i24}
ToncoPayloadCell = {payload_amount0 vu16, payload_0 cell?, payload_amount1 vu16, payload_1 cell?}
ToncoSwapParams = {amount vu16, sqrtPriceLimitX96 u160, minOutAmount vu16}
ToncoSwapPayloads = {target_address addr, ok_forward_amount vu16, ok_forward_payload cell?, ret_forward_amount
  vu16, ret_forward_payload cell?}
TonstakersControllerData = data{controller_id u32, validator addr, pool addr, governor addr, ""
  ^ApproverHalter}
TorrentInfo = torrent_info{piece_size u32, file_size u64, root_hash u256, header_size u64, header_hash u256,
  microchunk_hash u256?, description rest}
UpgradeConfig = upgrade_config{master_code_version coins, user_code_version coins, timeout u32, update_time
  u64, freeze_time u64, user_code cell, blank_code cell, new_master_code cell?, new_user_code cell?}
W1W2MsgBody = [n] wallet_signed_v1_v2{signature b512, msg_seqno u32, valid_until u32, msgs
  WalletV1toV4Msgs<n>}
W3MsgBody = [n] wallet_signed_v3{signature b512, subwallet_id u32, valid_until u32, msg_seqno u32, msgs
  WalletV1toV4Msgs<n>}
W4MsgBody = [n] wallet_signed_v4{signature b512, subwallet_id u32, valid_until u32, msg_seqno u32, op
  W4Operation<n>}
W4Operation = [n] 00:simple_send{msgs WalletV1toV4Msgs<n>} | [n] 01:deploy_install_plugin{plugin_workchain i8,
  plugin_balance coins, state_init ^StateInit, body cell} | [n] 02:install_plugin{plugin_workchain i8,
  plugin_address b256, amount coins, query_id u64} | [n] 03:remove_plugin{plugin_workchain i8, plugin_address
  b256, amount coins, query_id u64}
W5ExtendedAction = 02:add_extension{addr addrInt} | 03:delete_extension{addr addrInt} |
  04:set_signature_auth_allowed{allowed bool}
W5ExtendedActionList = [0] extended_list_last{action W5ExtendedAction} | [m + 1] extended_list_action{action
  W5ExtendedAction, prev ^W5ExtendedActionList<m>}
W5InnerRequest = [m n] w5_actions_request{out_actions ^OutList<m>?, extended_actions W5ExtendedActionList<n>?}
W5MsgBody = [m n] 73696e74:w5_internal_signed_request{request W5SignedRequest<m,n>} | [m n]
  7369676e:w5_external_signed_request{request W5SignedRequest<m,n>} | [m n]
  6578746e:w5_extension_action_request{query_id u64, request W5InnerRequest<m,n>}
W5SignedRequest = [m n] w5_signed_request{wallet_id u32, valid_until u32, msg_seqno u32, inner
  W5InnerRequest<m,n>, signature b512}
WalletV1toV4Msgs = [0] msgs_0{} | [1] msgs_1{msg_1 ModeWithMessage} | [2] msgs_2{msg_1 ModeWithMessage, msg_2
  ModeWithMessage} | [3] msgs_3{msg_1 ModeWithMessage, msg_2 ModeWithMessage, msg_3 ModeWithMessage} | [4]
  msgs_4{msg_1 ModeWithMessage, msg_2 ModeWithMessage, msg_3 ModeWithMessage, msg_4 ModeWithMessage}
`
