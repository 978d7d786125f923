import type { ActionRow, DexTransfer } from '../row.ts'
import { columns, type Details, type Fields, from, pick, type Shape, text } from './render.ts'

const side = (transfer: DexTransfer | undefined): Details => ({
  ...pick(transfer, 'asset', 'source', 'destination', 'source_jetton_wallet', 'destination_jetton_wallet'),
  ...pick(transfer, 'amount'),
})

/** Ticks are numbers in rows and strings in replies. */
const ticks = (column: 'dex_deposit_liquidity_data' | 'dex_withdraw_liquidity_data'): Fields => ({
  tick_lower: (row) => text(row[column]?.tick_lower),
  tick_upper: (row) => text(row[column]?.tick_upper),
})

const poolNumber =
  (name: 'tick_spacing' | 'protocol_fee' | 'lp_fee_base' | 'lp_fee_current') =>
  ({ tonco_deploy_pool_data }: ActionRow): string | null =>
    text(tonco_deploy_pool_data?.[name])

const SENDER: Fields = { source: 'source', source_jetton_wallet: 'source_secondary' }

const STAKE: Fields = {
  ...SENDER,
  pool: 'destination',
  pool_jetton_wallet: 'destination_secondary',
  ...columns('asset', 'amount'),
}

const CLAIM: Fields = {
  ...from('dex_withdraw_liquidity_data', 'dex'),
  source: 'source',
  pool: 'destination',
  position: 'destination_secondary',
  amount_1: 'dex_withdraw_liquidity_data.amount1',
  asset_1: 'dex_withdraw_liquidity_data.asset1_out',
  ...from('dex_withdraw_liquidity_data', 'user_jetton_wallet_1'),
}

/** `details` of exchanges, by type of action. */
export const DEX_DETAILS: Readonly<Record<string, Shape>> = {
  jetton_swap: {
    ...from('jetton_swap_data', 'dex'),
    sender: 'source',
    asset_in: 'asset',
    asset_out: 'asset2',
    dex_incoming_transfer: (row) => side(row.jetton_swap_data?.dex_incoming_transfer),
    dex_outgoing_transfer: (row) => side(row.jetton_swap_data?.dex_outgoing_transfer),
    peer_swaps: (row) =>
      (row.jetton_swap_data?.peer_swaps ?? []).map((hop) =>
        pick(hop, 'asset_in', 'amount_in', 'asset_out', 'amount_out'),
      ),
    min_out_amount: ({ jetton_swap_data: data }) =>
      data?.dex === 'tonco' ? text(data.min_out_amount) : undefined,
  },
  dex_deposit_liquidity: {
    ...from('dex_deposit_liquidity_data', 'dex'),
    amount_1: 'dex_deposit_liquidity_data.amount1',
    amount_2: 'dex_deposit_liquidity_data.amount2',
    asset_1: 'dex_deposit_liquidity_data.asset1',
    asset_2: 'dex_deposit_liquidity_data.asset2',
    ...from('dex_deposit_liquidity_data', 'user_jetton_wallet_1', 'user_jetton_wallet_2'),
    source: 'source',
    pool: 'destination',
    destination_liquidity: (row) =>
      (row.dex_deposit_liquidity_data?.dex === 'dedust' ? row.destination_secondary : row.destination) ??
      null,
    ...from('dex_deposit_liquidity_data', 'lp_tokens_minted', 'target_asset_1', 'target_asset_2'),
    ...from('dex_deposit_liquidity_data', 'target_amount_1', 'target_amount_2'),
    vault_excesses: (row) =>
      (row.dex_deposit_liquidity_data?.vault_excesses ?? []).map((excess) => pick(excess, 'asset', 'amount')),
    ...ticks('dex_deposit_liquidity_data'),
    ...from('dex_deposit_liquidity_data', 'nft_index', 'nft_address'),
  },
  dex_withdraw_liquidity: {
    ...from('dex_withdraw_liquidity_data', 'dex'),
    amount_1: 'dex_withdraw_liquidity_data.amount1',
    amount_2: 'dex_withdraw_liquidity_data.amount2',
    asset_1: 'dex_withdraw_liquidity_data.asset1_out',
    asset_2: 'dex_withdraw_liquidity_data.asset2_out',
    ...from('dex_withdraw_liquidity_data', 'user_jetton_wallet_1', 'user_jetton_wallet_2'),
    ...from('dex_withdraw_liquidity_data', 'lp_tokens_burnt'),
    // Stored but not returned: clients know it as null.
    is_refund: null,
    source: 'source',
    pool: 'destination',
    destination_liquidity: 'destination',
    burnt_nft_index: 'dex_withdraw_liquidity_data.burned_nft_index',
    burnt_nft_address: 'dex_withdraw_liquidity_data.burned_nft_address',
    ...ticks('dex_withdraw_liquidity_data'),
  },
  dedust_v2_claim_fees: {
    ...CLAIM,
    amount_2: 'dex_withdraw_liquidity_data.amount2',
    asset_2: 'dex_withdraw_liquidity_data.asset2_out',
    ...from('dex_withdraw_liquidity_data', 'user_jetton_wallet_2'),
  },
  dedust_v2_claim_reward: CLAIM,
  tonco_deploy_pool: {
    source: 'source',
    pool: 'destination_secondary',
    router: 'destination',
    router_jetton_wallet_1: 'tonco_deploy_pool_data.jetton0_router_wallet',
    router_jetton_wallet_2: 'tonco_deploy_pool_data.jetton1_router_wallet',
    jetton_minter_1: 'tonco_deploy_pool_data.jetton0_minter',
    jetton_minter_2: 'tonco_deploy_pool_data.jetton1_minter',
    tick_spacing: poolNumber('tick_spacing'),
    ...from('tonco_deploy_pool_data', 'initial_price_x96'),
    protocol_fee: poolNumber('protocol_fee'),
    lp_fee_base: poolNumber('lp_fee_base'),
    lp_fee_current: poolNumber('lp_fee_current'),
    ...from('tonco_deploy_pool_data', 'pool_active'),
  },
  coffee_create_vault: { source: 'source', vault: 'destination', ...columns('asset', 'value') },
  coffee_create_pool_creator: {
    ...SENDER,
    deposit_recipient: 'destination',
    pool_creator_contract: 'destination_secondary',
    provided_asset: 'asset',
    asset_1: 'asset2',
    asset_2: 'asset2_secondary',
    amount: 'amount',
  },
  coffee_create_pool: {
    ...SENDER,
    ...from('coffee_create_pool_data', 'initiator_1', 'initiator_2'),
    pool: 'destination',
    pool_creator_contract: 'destination_secondary',
    ...from('coffee_create_pool_data', 'provided_asset'),
    amount: 'amount',
    asset_1: 'asset',
    asset_2: 'asset2',
    ...from('coffee_create_pool_data', 'amount_1', 'amount_2', 'lp_tokens_minted'),
  },
  coffee_mev_protect_hold_funds: {
    ...SENDER,
    mev_contract: 'destination',
    mev_contract_jetton_wallet: 'destination_secondary',
    ...columns('asset', 'amount'),
  },
  coffee_mev_protect_failed_swap: { ...SENDER, recipient: 'destination', ...columns('asset', 'amount') },
  coffee_staking_deposit: {
    ...STAKE,
    ...from('coffee_staking_deposit_data', 'minted_item_address', 'minted_item_index'),
  },
  coffee_staking_withdraw: {
    ...STAKE,
    ...from('coffee_staking_withdraw_data', 'nft_address', 'nft_index', 'points'),
  },
  coffee_staking_claim_rewards: {
    pool: 'source',
    pool_jetton_wallet: 'source_secondary',
    recipient: 'destination',
    recipient_jetton_wallet: 'destination_secondary',
    ...columns('asset', 'amount'),
  },
}
