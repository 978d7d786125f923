import type { Slice } from '@shardwalk/cells'
import { DecodeError, formatRawAddress } from '@shardwalk/model'
import { bodyFields, payloadFields } from '../decoding/body-fields.ts'

/** `native$00 | jetton$01 chain:8 hash:256`; null is TON. Extra currencies are refused. */
function loadAsset(slice: Slice): string | null {
  const tag = slice.loadUint(2)
  if (tag === 0) return null
  if (tag !== 1) throw new DecodeError('coffee_asset', 'an extra currency')
  return formatRawAddress({ workchain: slice.loadInt(8), hash: slice.loadBytes(32) })
}

const POOL = { first: loadAsset, second: loadAsset } as const
const CREATION = { params: POOL, creation_params: { public: { recipient: 'address' } } } as const
const LIQUIDITY = { amount1: 'amount', amount2: 'amount', lp_amount: 'amount' } as const

/**
 * swap.coffee. Source: swapcoffee/dex, contracts/include; messages of staking and of the protection against
 * reordering were read from mainnet, as those contracts are not published.
 */
export const COFFEE_BODIES = {
  createVault: bodyFields('coffee_create_vault', { asset: loadAsset }),
  createPoolNative: bodyFields('coffee_create_pool', { amount: 'amount', ...CREATION }),
  createPoolPayload: payloadFields('coffee_create_pool_forward_payload', CREATION),
  createPoolRequest: bodyFields('coffee_create_pool_request', {
    amount1: 'amount',
    amount2: 'amount',
    tx_initiator: 'address',
  }),
  swapNative: bodyFields('coffee_swap', { amount: 'amount' }),
  swapEvent: bodyFields('coffee_swap_succeeded', {
    input: loadAsset,
    input_amount: 'amount',
    output_amount: 'amount',
  }),
  payoutInternal: bodyFields('coffee_payout_internal', { recipient: 'address', amount: 'amount' }),
  depositRequest: bodyFields('coffee_create_liquidity_depository_request', {
    amount: 'amount',
    params: { pool_params: POOL },
    sender: 'address',
  }),
  depositEvent: bodyFields('coffee_deposit_liquidity_succeeded', LIQUIDITY),
  withdrawalEvent: bodyFields('coffee_withdraw_liquidity_succeeded', LIQUIDITY),
  failedSwap: bodyFields('coffee_mev_protect_failed_swap', { recipient: 'address' }),
  failedSwapPayload: payloadFields('coffee_mev_protect_failed_swap_forward_payload', {
    recipient: 'address',
  }),
  unstakeToPool: bodyFields('coffee_staking_unstake_to_pool', {
    nft_index: 'bigint',
    owner: 'address',
    points: 'amount',
  }),
  unstakeToVault: bodyFields('coffee_staking_unstake_to_vault', {
    jetton_wallet: 'address',
    amount: 'amount',
  }),
  claimRewards: bodyFields('coffee_staking_claim_rewards', {
    jetton_wallet: 'address',
    jetton_amount: 'amount',
    receiver: 'address',
  }),
} as const
