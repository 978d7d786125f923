import * as z from 'zod'
import { address, bool, digits, ends, text, viaWallet } from './kinds.ts'

const swapSide = z
  .strictObject({
    asset: address,
    ...ends,
    source_jetton_wallet: address,
    destination_jetton_wallet: address,
    amount: digits,
  })
  .meta({ id: 'ActionDetailsJettonSwapTransfer' })

const liquidity = {
  dex: text,
  amount_1: digits,
  amount_2: digits,
  asset_1: address,
  asset_2: address,
  user_jetton_wallet_1: address,
  user_jetton_wallet_2: address,
  source: address,
  pool: address,
  destination_liquidity: text,
  tick_lower: digits,
  tick_upper: digits,
}

const claim = {
  dex: text,
  source: address,
  pool: address,
  position: address,
  amount_1: digits,
  asset_1: address,
  user_jetton_wallet_1: address,
}

/** Swaps and liquidity. */
export const DEX_ACTION_DETAILS = {
  jetton_swap: z.strictObject({
    dex: text,
    sender: address,
    asset_in: address,
    asset_out: address,
    dex_incoming_transfer: swapSide,
    dex_outgoing_transfer: swapSide,
    peer_swaps: z.array(
      z
        .strictObject({ asset_in: address, amount_in: digits, asset_out: address, amount_out: digits })
        .meta({ id: 'ActionDetailsJettonSwapPeerSwap' }),
    ),
    min_out_amount: digits.optional(),
  }),
  dex_deposit_liquidity: z.strictObject({
    ...liquidity,
    lp_tokens_minted: digits,
    target_asset_1: address,
    target_asset_2: address,
    target_amount_1: digits,
    target_amount_2: digits,
    vault_excesses: z.array(
      z.strictObject({ asset: address, amount: digits }).meta({ id: 'ActionDetailsVaultExcess' }),
    ),
    nft_index: digits,
    nft_address: address,
  }),
  dex_withdraw_liquidity: z.strictObject({
    ...liquidity,
    lp_tokens_burnt: digits,
    is_refund: bool,
    burnt_nft_index: digits,
    burnt_nft_address: address,
  }),
  dedust_v2_claim_fees: z.strictObject({
    ...claim,
    amount_2: digits,
    asset_2: address,
    user_jetton_wallet_2: address,
  }),
  dedust_v2_claim_reward: z.strictObject(claim),
  tonco_deploy_pool: z.strictObject({
    source: address,
    pool: address,
    router: address,
    router_jetton_wallet_1: address,
    router_jetton_wallet_2: address,
    jetton_minter_1: address,
    jetton_minter_2: address,
    tick_spacing: digits,
    initial_price_x96: digits,
    protocol_fee: digits,
    lp_fee_base: digits,
    lp_fee_current: digits,
    pool_active: bool,
  }),
  coffee_create_vault: z.strictObject({ source: address, vault: address, asset: address, value: digits }),
  coffee_create_pool_creator: z.strictObject({
    source: address,
    source_jetton_wallet: address,
    deposit_recipient: address,
    pool_creator_contract: address,
    provided_asset: address,
    asset_1: address,
    asset_2: address,
    amount: digits,
  }),
  coffee_create_pool: z.strictObject({
    source: address,
    source_jetton_wallet: address,
    initiator_1: address,
    initiator_2: address,
    pool: address,
    pool_creator_contract: address,
    provided_asset: address,
    amount: digits,
    asset_1: address,
    asset_2: address,
    amount_1: digits,
    amount_2: digits,
    lp_tokens_minted: digits,
  }),
  coffee_mev_protect_hold_funds: z.strictObject({
    ...viaWallet,
    mev_contract: address,
    mev_contract_jetton_wallet: address,
  }),
  coffee_mev_protect_failed_swap: z.strictObject({ ...viaWallet, recipient: address }),
  coffee_staking_deposit: z.strictObject({
    ...viaWallet,
    pool: address,
    pool_jetton_wallet: address,
    minted_item_address: address,
    minted_item_index: digits,
  }),
  coffee_staking_withdraw: z.strictObject({
    ...viaWallet,
    pool: address,
    pool_jetton_wallet: address,
    nft_address: address,
    nft_index: digits,
    points: digits,
  }),
  coffee_staking_claim_rewards: z.strictObject({
    pool: address,
    pool_jetton_wallet: address,
    recipient: address,
    recipient_jetton_wallet: address,
    asset: address,
    amount: digits,
  }),
} as const
