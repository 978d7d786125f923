import type { Slice } from '@shardwalk/cells'
import { formatRawAddress } from '@shardwalk/model'
import { bodyFields, payloadFields, typeFields } from '../decoding/body-fields.ts'

/** `native$0000 = Asset; jetton$0001 workchain_id:int8 address:uint256 = Asset`; null is TON. */
const loadAsset = (slice: Slice): string | null =>
  slice.loadUint(4) === 0
    ? null
    : formatRawAddress({ workchain: slice.loadInt(8), hash: slice.loadBytes(32) })

const POOL = { pool_params: { asset0: loadAsset, asset1: loadAsset } } as const
const TARGETS = { asset0_target_balance: 'amount', asset1_target_balance: 'amount' } as const

const loadRef = (slice: Slice): Slice => slice.loadRefSlice()
const STEP = { minimal_amount_out: 'amount', next: (slice: Slice) => slice.loadMaybeRefSlice() } as const

/** DeDust CPMM v2. Source: toncenter/ton-indexer, indexer/events/blocks/messages/dedust_v2.py. */
export const DEDUST_CPMM_BODIES = {
  payNative: bodyFields('dedust_cpmm_pay_native', { amount: 'amount', payment_payload: loadRef }),
  payJetton: bodyFields('dedust_cpmm_pay_jetton', { payment_payload: loadRef }),
  payout: bodyFields('dedust_cpmm_payout', { amount: 'amount', exit_code: 'number' }),
  swap: bodyFields('dedust_cpmm_swap', STEP),
  /** No opcode: a link of the chain behind `swap`. */
  swapStep: bodyFields('dedust_cpmm_swap_step', STEP),
  swapEvent: bodyFields('dedust_cpmm_swap_event', { amount_in: 'amount', amount_out: 'amount' }),
  withdraw: bodyFields('dedust_cpmm_withdraw', { liquidity: 'amount', auto_claim_fees: 'bool' }),
  withdrawalEvent: bodyFields('dedust_cpmm_withdrawal_event', { liquidity: 'amount' }),
  deposit: bodyFields('dedust_cpmm_deposit', { amount_x: 'amount', amount_y: 'amount' }),
  creditAsset: bodyFields('dedust_cpmm_credit_asset', { is_x: 'bool', amount: 'amount' }),
  joinLiquidity: bodyFields('dedust_cpmm_join_liquidity', {
    amount_x: 'amount',
    amount_y: 'amount',
    initiator: 'address',
  }),
  depositEvent: bodyFields('dedust_cpmm_deposit_event', {
    amount_x_in: 'amount',
    amount_y_in: 'amount',
    liquidity: 'amount',
  }),
  payOutFees: bodyFields('dedust_cpmm_payout_position_fees', { x_fees: 'amount', y_fees: 'amount' }),
  payOutReward: bodyFields('dedust_cpmm_payout_reward', { amount: 'amount' }),
} as const

/** DeDust v2. Source: docs.dedust.io, TL-B schemes; the swap event as dedust-io/sdk reads it. */
export const DEDUST_BODIES = {
  /** Leaves the reader at the first step of the route. */
  swap: bodyFields('dedust_swap', { amount: 'amount' }),
  step: typeFields('DedustSwapStep', {
    pool_addr: 'address',
    params: { next: (slice) => slice.loadMaybeRefSlice() },
  }),
  swapEvent: bodyFields('dedust_swap_event', {
    asset_in: loadAsset,
    asset_out: loadAsset,
    amount_in: 'amount',
    amount_out: 'amount',
  }),
  payOutFromPool: bodyFields('dedust_pay_out_from_pool', { amount: 'amount' }),
  depositTon: bodyFields('dedust_deposit_liquidity', { amount: 'amount' }),
  depositTonTargets: bodyFields('dedust_deposit_liquidity', { ...POOL, deposit_params: TARGETS }),
  depositPayload: payloadFields('dedust_deposit_liquidity', { ...POOL, ...TARGETS }),
  depositToPool: bodyFields('dedust_deposit_liquidity_all', {
    owner_addr: 'address',
    asset0: loadAsset,
    asset0_amount: 'amount',
    asset1: loadAsset,
    asset1_amount: 'amount',
  }),
} as const
