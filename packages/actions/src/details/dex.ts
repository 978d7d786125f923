import type { DexTransfer } from '../row.ts'
import { amount, type Details, orNull, type Render } from './render.ts'

const side = (transfer: DexTransfer | undefined): Details => ({
  asset: orNull(transfer?.asset),
  source: orNull(transfer?.source),
  destination: orNull(transfer?.destination),
  source_jetton_wallet: orNull(transfer?.source_jetton_wallet),
  destination_jetton_wallet: orNull(transfer?.destination_jetton_wallet),
  amount: amount(transfer?.amount),
})

const swap: Render = (row) => {
  const data = row.jetton_swap_data
  return {
    dex: orNull(data?.dex),
    sender: orNull(row.source),
    asset_in: orNull(row.asset),
    asset_out: orNull(row.asset2),
    dex_incoming_transfer: side(data?.dex_incoming_transfer),
    dex_outgoing_transfer: side(data?.dex_outgoing_transfer),
    peer_swaps: (data?.peer_swaps ?? []).map((hop) => ({
      asset_in: hop.asset_in,
      amount_in: amount(hop.amount_in),
      asset_out: hop.asset_out,
      amount_out: amount(hop.amount_out),
    })),
    ...(data?.dex === 'tonco' && { min_out_amount: amount(data.min_out_amount) }),
  }
}

const deposit: Render = (row) => {
  const data = row.dex_deposit_liquidity_data
  return {
    dex: orNull(data?.dex),
    amount_1: amount(data?.amount1),
    amount_2: amount(data?.amount2),
    asset_1: orNull(data?.asset1),
    asset_2: orNull(data?.asset2),
    user_jetton_wallet_1: orNull(data?.user_jetton_wallet_1),
    user_jetton_wallet_2: orNull(data?.user_jetton_wallet_2),
    source: orNull(row.source),
    pool: orNull(row.destination),
    destination_liquidity: orNull(data?.dex === 'dedust' ? row.destination_secondary : row.destination),
    lp_tokens_minted: amount(data?.lp_tokens_minted),
    target_asset_1: orNull(data?.target_asset_1),
    target_asset_2: orNull(data?.target_asset_2),
    target_amount_1: amount(data?.target_amount_1),
    target_amount_2: amount(data?.target_amount_2),
    vault_excesses: (data?.vault_excesses ?? []).map((excess) => ({
      asset: excess.asset,
      amount: amount(excess.amount),
    })),
    tick_lower: amount(data?.tick_lower),
    tick_upper: amount(data?.tick_upper),
    nft_index: amount(data?.nft_index),
    nft_address: orNull(data?.nft_address),
  }
}

const withdraw: Render = (row) => {
  const data = row.dex_withdraw_liquidity_data
  return {
    dex: orNull(data?.dex),
    amount_1: amount(data?.amount1),
    amount_2: amount(data?.amount2),
    asset_1: orNull(data?.asset1_out),
    asset_2: orNull(data?.asset2_out),
    user_jetton_wallet_1: orNull(data?.user_jetton_wallet_1),
    user_jetton_wallet_2: orNull(data?.user_jetton_wallet_2),
    lp_tokens_burnt: amount(data?.lp_tokens_burnt),
    // Stored but not returned: clients know it as null.
    is_refund: null,
    source: orNull(row.source),
    pool: orNull(row.destination),
    destination_liquidity: orNull(row.destination),
    burnt_nft_index: amount(data?.burned_nft_index),
    burnt_nft_address: orNull(data?.burned_nft_address),
    tick_lower: amount(data?.tick_lower),
    tick_upper: amount(data?.tick_upper),
  }
}

const toncoDeployPool: Render = (row) => {
  const data = row.tonco_deploy_pool_data
  return {
    source: orNull(row.source),
    pool: orNull(row.destination_secondary),
    router: orNull(row.destination),
    router_jetton_wallet_1: orNull(data?.jetton0_router_wallet),
    router_jetton_wallet_2: orNull(data?.jetton1_router_wallet),
    jetton_minter_1: orNull(data?.jetton0_minter),
    jetton_minter_2: orNull(data?.jetton1_minter),
    tick_spacing: amount(data?.tick_spacing),
    initial_price_x96: amount(data?.initial_price_x96),
    protocol_fee: amount(data?.protocol_fee),
    lp_fee_base: amount(data?.lp_fee_base),
    lp_fee_current: amount(data?.lp_fee_current),
    pool_active: orNull(data?.pool_active),
  }
}

const createPool: Render = (row) => {
  const data = row.coffee_create_pool_data
  return {
    source: orNull(row.source),
    source_jetton_wallet: orNull(row.source_secondary),
    initiator_1: orNull(data?.initiator_1),
    initiator_2: orNull(data?.initiator_2),
    pool: orNull(row.destination),
    pool_creator_contract: orNull(row.destination_secondary),
    provided_asset: orNull(data?.provided_asset),
    amount: amount(row.amount),
    asset_1: orNull(row.asset),
    asset_2: orNull(row.asset2),
    amount_1: amount(data?.amount_1),
    amount_2: amount(data?.amount_2),
    lp_tokens_minted: amount(data?.lp_tokens_minted),
  }
}

const mev: Render = (row) => ({
  source: orNull(row.source),
  source_jetton_wallet: orNull(row.source_secondary),
  mev_contract: orNull(row.destination),
  mev_contract_jetton_wallet: orNull(row.destination_secondary),
  asset: orNull(row.asset),
  amount: amount(row.amount),
})

const stake: Render = (row) => ({
  source: orNull(row.source),
  source_jetton_wallet: orNull(row.source_secondary),
  pool: orNull(row.destination),
  pool_jetton_wallet: orNull(row.destination_secondary),
  asset: orNull(row.asset),
  amount: amount(row.amount),
})

export const DEX_DETAILS: Readonly<Record<string, Render>> = {
  jetton_swap: swap,
  dex_deposit_liquidity: deposit,
  dex_withdraw_liquidity: withdraw,
  tonco_deploy_pool: toncoDeployPool,
  coffee_create_vault: (row) => ({
    source: orNull(row.source),
    vault: orNull(row.destination),
    asset: orNull(row.asset),
    value: amount(row.value),
  }),
  coffee_create_pool_creator: (row) => ({
    source: orNull(row.source),
    source_jetton_wallet: orNull(row.source_secondary),
    deposit_recipient: orNull(row.destination),
    pool_creator_contract: orNull(row.destination_secondary),
    provided_asset: orNull(row.asset),
    asset_1: orNull(row.asset2),
    asset_2: orNull(row.asset2_secondary),
    amount: amount(row.amount),
  }),
  coffee_create_pool: createPool,
  coffee_mev_protect_hold_funds: mev,
  coffee_mev_protect_failed_swap: (row) => ({
    source: orNull(row.source),
    source_jetton_wallet: orNull(row.source_secondary),
    recipient: orNull(row.destination),
    asset: orNull(row.asset),
    amount: amount(row.amount),
  }),
  coffee_staking_deposit: (row, context) => ({
    ...stake(row, context),
    minted_item_address: orNull(row.coffee_staking_deposit_data?.minted_item_address),
    minted_item_index: amount(row.coffee_staking_deposit_data?.minted_item_index),
  }),
  coffee_staking_withdraw: (row, context) => ({
    ...stake(row, context),
    nft_address: orNull(row.coffee_staking_withdraw_data?.nft_address),
    nft_index: amount(row.coffee_staking_withdraw_data?.nft_index),
    points: amount(row.coffee_staking_withdraw_data?.points),
  }),
  coffee_staking_claim_rewards: (row) => ({
    pool: orNull(row.source),
    pool_jetton_wallet: orNull(row.source_secondary),
    recipient: orNull(row.destination),
    recipient_jetton_wallet: orNull(row.destination_secondary),
    asset: orNull(row.asset),
    amount: amount(row.amount),
  }),
}
