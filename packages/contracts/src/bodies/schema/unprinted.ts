/**
 * Bodies and payloads that code reads and that the indexed API does not print: lines here never change a
 * decoded body. Notation: ./README.md; a layout may end after the last field that is read. Their sources
 * are beside their readers in the files of `bodies`.
 */
export const UNPRINTED_BODIES = `
fffffffe new_bounce_body{original_body cell}
9c610de3 dedust_swap_event{asset_in DedustAsset, asset_out DedustAsset, amount_in coins, amount_out coins}
a5a7cbf8 dedust_cpmm_pay_native{query_id u64, amount coins, payment_payload cell}
cbc33949 dedust_cpmm_pay_jetton{payment_payload cell}
3216ca09 dedust_cpmm_payout{query_id u64, amount coins, exit_code i32}
c442500f dedust_cpmm_swap{minimal_amount_out coins, deadline u40, next cell?}
-/0 dedust_cpmm_swap_step{pool addr, minimal_amount_out coins, deadline u40, next cell?}
78e79ba4 dedust_cpmm_swap_event{x_to_y bool, amount_in coins, amount_out coins}
20b5ef89 dedust_cpmm_withdraw{query_id u64, liquidity coins, minimal_x_out coins, minimal_y_out coins,
  auto_claim_fees bool}
bc1531a9 dedust_cpmm_withdraw_liquidity{query_id u64}
f6f6a3aa dedust_cpmm_exit_liquidity{query_id u64}
c0d77b54 dedust_cpmm_withdrawal_event{liquidity coins}
c9a015da dedust_cpmm_deposit{amount_x coins, amount_y coins}
dc5ddba1 dedust_cpmm_credit_asset{query_id u64, is_x bool, amount coins}
25251ee0 dedust_cpmm_join_liquidity{query_id u64, config cell, amount_x coins, amount_y coins, initiator addr}
35df2e12 dedust_cpmm_deposit_event{amount_x_in coins, amount_y_in coins, liquidity coins}
855afcbd dedust_cpmm_credit_liquidity{query_id u64}
5652f1df dedust_cpmm_claim_position_fees{query_id u64}
25f19752 dedust_cpmm_claim_available_fees{query_id u64}
29ff1bcf dedust_cpmm_payout_position_fees{query_id u64, x_fees coins, y_fees coins}
909fdb65 dedust_cpmm_claim_reward{query_id u64}
2e0cccba dedust_cpmm_claim_position_reward{query_id u64}
9e17fbbe dedust_cpmm_payout_reward{query_id u64, amount coins}
47daa10f hipo_finance_proxy_save_coins{query_id u64, coins coins}
4cce0e74 hipo_finance_save_coins{query_id u64}
4b2d7871 hipo_finance_mint_bill{query_id u64, amount coins, unstake bool, owner addr, parent addr}
3275dfc2 hipo_finance_assign_bill{query_id u64}
688b0213 hipo_finance_proxy_reserve_tokens{query_id u64}
386a358b hipo_finance_reserve_tokens{query_id u64, tokens coins, owner addr}
4476fde0 hipo_finance_proxy_tokens_burned{query_id u64, tokens coins, coins coins, owner addr}
5b512e25 hipo_finance_tokens_burned{query_id u64}
f0fa223b hipo_finance_withdrawal_notification{query_id u64}
32b67194 hipo_finance_proxy_rollback_unstake{query_id u64, tokens coins, owner addr}
1b77fd1a hipo_finance_rollback_unstake{query_id u64}
840f6369 hipo_finance_bill_burned{query_id u64}
42684479 hipo_finance_mint_tokens{query_id u64, coins coins, owner addr}
7cffe1ee hipo_finance_burn_tokens{query_id u64, tokens coins, owner addr}
cb03bfaf coffee_staking_unstake_to_pool{query_id u64, nft_index u64, owner addr, points coins}
cb03bfaf coffee_staking_unstake_to_vault{query_id u64, jetton_wallet addr, amount coins}
a7fb58f8 tonco_swap_payload{target_wallet addr, price_limit u160, min_out coins, recipient addr, next cell?}
2e3034ef tonco_create_pool{query_id u64, jetton_wallet0 addr, jetton_wallet1 addr, tick_spacing i24,
  initial_price_x96 u160, activate bool, protocol_fee u16, lp_fee_base u16, lp_fee_current u16, nft_content
  cell, nft_item_content cell, minter_cell ^ToncoMinterControllerCell}
00000001 evaa_supply_payload{include_user_code u2, recipient_address addr}
00000003 evaa_liquidate_payload{borrower_address addr, liquidator_address addr, collateral_asset_id u256,
  min_collateral_amount u64, include_user_code u2}
00000003 evaa_liquidate_payload_with_query{query_id u64, borrower_address addr, liquidator_address addr,
  collateral_asset_id u256, min_collateral_amount u64, include_user_code u2}
0000031f evaa_liquidate_unsatisfied_report{"" ^{transferred_amount u64, collateral_asset_id u256,
  min_collateral_amount u64, error rest}}
-/0 evaa_user_header{version coins, upgrade cell?, exec u2}
-/0 jvault_stake_payload{period u32}
`

/** Data cells of contracts, as far as they are read. */
export const DATA_LAYOUTS = `
# Getgems: fixed price
-/0 getgems_sale_v1{marketplace addr, nft addr, nft_owner addr, full_price coins, "" ^{marketplace_fee
  coins, marketplace_fee_address addr, royalty_address addr, royalty_amount coins}}
-/0 getgems_sale_v2{is_complete bool, created_at u32, marketplace addr, nft addr, nft_owner addr,
  full_price coins, "" ^{marketplace_fee_address addr, marketplace_fee coins, royalty_address addr,
  royalty_amount coins}}
-/0 getgems_sale_v4{is_complete bool, marketplace addr, nft_owner addr, full_price coins, ""
  ^{marketplace_fee_address addr, royalty_address addr}}
# Getgems: auctions; of the first two only the references are read
-/0 getgems_auction_v1{"" ^{marketplace_fee_address addr, mp_fee_factor u32, mp_fee_base u32,
  royalty_address addr, royalty_fee_factor u32, royalty_fee_base u32}, "" ^{min_bid coins, max_bid coins}}
-/0 getgems_auction_v3{"" ^{marketplace_fee_address addr, mp_fee_factor u32, mp_fee_base u32,
  royalty_address addr, royalty_fee_factor u32, royalty_fee_base u32}, "" ^{created_at u32, marketplace
  addr, min_bid coins, max_bid coins}}
-/0 getgems_auction_v3r3{end bool, activated bool, last_member addr, last_bid coins, last_bid_at u32,
  end_time u32, nft_owner addr, last_query_id u64, mp_fee_factor u32, mp_fee_base u32, royalty_fee_factor
  u32, royalty_fee_base u32, "" ^{marketplace_fee_address addr, royalty_address addr}, "" ^{marketplace
  addr, min_bid coins, max_bid coins}}
-/0 getgems_auction_v4{end bool, activated bool, last_member addr, last_bid coins, last_bid_at u32,
  end_time u32, nft_owner addr, last_query_id u64, "" ^{marketplace_fee_address addr, royalty_address
  addr, mp_fee_factor u32, mp_fee_base u32, royalty_fee_factor u32, royalty_fee_base u32}, ""
  ^{marketplace addr, min_bid coins, max_bid coins}}
# JVault
-/0 jvault_stake_wallet{pool_address addr, minter_address addr}
-/0 jvault_pool{head b33, admin_address addr, creator_address addr, lock_wallet_address addr}
`
