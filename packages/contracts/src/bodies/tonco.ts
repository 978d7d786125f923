import type { Slice } from '@shardwalk/cells'
import { bodyFields, optional, payloadFields } from '../decoding/body-fields.ts'
import { TONCO } from '../opcodes/tonco.ts'
import { readable } from './readable.ts'

const TICKS = { tick_lower: 'number', tick_upper: 'number' } as const

/**
 * TONCO. Source: docs.tonco.io; @toncodex/sdk, builders and parsers of router, pool, account, position; steps
 * of a swap as its payload builder nests them.
 */
export const TONCO_BODIES = {
  payTo: bodyFields('tonco_router_pay_to_normal', {
    reciever0: 'address',
    reciever1: 'address',
    exit_code: 'number',
    coinsinfo_cell: optional({
      amount0: 'amount',
      jetton0_address: 'address',
      amount1: 'amount',
      jetton1_address: 'address',
    }),
  }),
  createPool: bodyFields('tonco_create_pool', {
    jetton_wallet0: 'address',
    jetton_wallet1: 'address',
    tick_spacing: 'number',
    initial_price_x96: 'bigint',
    activate: loadActivate,
    protocol_fee: 'number',
    lp_fee_base: 'number',
    lp_fee_current: 'number',
    minter_cell: { jetton0_minter: 'address', jetton1_minter: 'address' },
  }),
  initPool: bodyFields('tonco_pool_init', { pool_active: 'bool' }),
  fundAccountPayload: payloadFields('tonco_pool_fund_account_payload', { other_jetton_wallet: 'address' }),
  addLiquidity: bodyFields('tonco_account_add_liquidity', {
    new_amount0: 'amount',
    new_enough0: 'amount',
    new_enough1: 'amount',
    ...TICKS,
  }),
  startBurn: bodyFields('tonco_pool_start_burn', {
    burned_index: 'bigint',
    liquidity_to_burn: 'bigint',
    ...TICKS,
  }),
  initPosition: bodyFields('tonco_position_nft_init', {
    liquidity: 'bigint',
    old_fee_cell: { nft_index: 'bigint' },
  }),
  burnPosition: bodyFields('tonco_position_nft_burn', { nft_owner: 'address' }),
  burnInPool: bodyFields('tonco_pool_burn', { burned_index: 'bigint' }),
  /** First field of a step alone: damage behind it does not matter. */
  swapTarget: bodyFields('tonco_swap_payload', { target_wallet: 'address' }),
  swapStep: bodyFields('tonco_swap_payload', {
    target_wallet: 'address',
    min_out: 'amount',
    next: loadNextStep,
  }),
} as const

/** Before the 48 bits of fees. The published description of the message, and `/decode`, leave it out. */
function loadActivate(slice: Slice): boolean | undefined {
  return slice.remainingBits % 2 === 1 ? slice.loadBit() : undefined
}

/** The next order of a chain, or one that is forwarded with the result: `receiver amount:Coins ^order`. */
function loadNextStep(slice: Slice): Slice | undefined {
  const next = readable(() => slice.loadMaybeRefSlice())
  const forwarded = next && next.remainingRefs > 0 ? next.preloadRefSlice(0) : undefined
  const isOrder = (one: Slice | undefined) =>
    one !== undefined && one.remainingBits >= 32 && one.preloadUint(32) === TONCO.swap
  return [next, forwarded].find(isOrder)?.skip(32)
}
