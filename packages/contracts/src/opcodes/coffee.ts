import { opcode } from './declared.ts'

/**
 * swap.coffee. Source: swapcoffee/dex, contracts/include/constants.fc. The opcodes of staking and of MEV
 * protection were read from mainnet messages, because those contracts are not published.
 */
export const COFFEE = {
  swapNative: opcode('coffee_swap'),
  createPoolNative: opcode('coffee_create_pool'),
  createPoolExtra: opcode('coffee_create_pool_extra'),
  depositNative: opcode('coffee_deposit_liquidity'),
  createVault: opcode('coffee_create_vault'),
  createPoolJetton: opcode('coffee_create_pool_forward_payload'),
  swapInternal: opcode('coffee_swap_internal'),
  payoutInternal: opcode('coffee_payout_internal'),
  deploy: opcode('coffee_deploy'),
  poolCreatorRequest: opcode('coffee_create_pool_creator_request'),
  createPoolRequest: opcode('coffee_create_pool_request'),
  depositRequest: opcode('coffee_create_liquidity_depository_request'),
  depositInternal: opcode('coffee_deposit_liquidity_internal'),
  swapEvent: opcode('coffee_swap_succeeded'),
  payout: opcode('coffee_payout'),
  depositEvent: opcode('coffee_deposit_liquidity_succeeded'),
  withdrawalEvent: opcode('coffee_withdraw_liquidity_succeeded'),
  notification: opcode('coffee_notification'),
  serviceFee: 0xc0ffeea0,
  holdFunds: opcode('coffee_mev_protect_hold_funds'),
  failedSwap: opcode('coffee_mev_protect_failed_swap'),
  stake: opcode('coffee_staking_deposit'),
  claim: opcode('coffee_staking_claim_rewards'),
  /** Owner to position, position to pool, pool to vault. */
  unstake: opcode('coffee_staking_unstake_to_pool'),
  /** Reply to the notification of a new pool. */
  createPoolExcesses: 0xb216d31f,
} as const
