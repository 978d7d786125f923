import { opcode, payloadOpcode } from './declared.ts'

/** DeDust v2. Source: docs.dedust.io, TL-B schemes; dedust-io/sdk. */
export const DEDUST = {
  /** Sent with TON to the TON vault. */
  swap: opcode('dedust_swap'),
  /** Forward payload for a jetton vault. */
  swapPayload: payloadOpcode('dedust_swap'),
  /** Vault to pool. */
  swapExternal: opcode('dedust_swap_external'),
  /** Pool to pool. */
  swapPeer: opcode('dedust_swap_peer'),
  swapEvent: opcode('dedust_swap_event'),
  payOutFromPool: opcode('dedust_pay_out_from_pool'),
  payout: opcode('dedust_payout'),
  /** Sent with TON to the TON vault. */
  depositTon: opcode('dedust_deposit_liquidity'),
  /** Forward payload for a jetton vault. */
  depositPayload: payloadOpcode('dedust_deposit_liquidity'),
  /** Vault to factory. */
  createDeposit: opcode('dedust_create_liquidity_deposit'),
  /** Factory to the deposit contract. */
  install: opcode('dedust_install'),
  depositAsset: opcode('dedust_deposit_asset'),
  depositToPool: opcode('dedust_deposit_liquidity_all'),
  fulfilDeposit: opcode('dedust_fulfill_deposit'),
  payOutFromDeposit: opcode('dedust_pay_out_from_deposit'),
  rejectDeposit: opcode('dedust_reject_deposit'),
} as const

/**
 * DeDust pools with a constant product that are paid without vaults ("CPMM v2"). Source:
 * toncenter/ton-indexer, indexer/events/blocks/messages/dedust_v2.py.
 */
export const DEDUST_CPMM = {
  /** TON to a pool; what for is in a payload. */
  payNative: opcode('dedust_cpmm_pay_native'),
  /** The same as a forward payload of jettons. */
  payJetton: opcode('dedust_cpmm_pay_jetton'),
  payout: opcode('dedust_cpmm_payout'),
  /** Payload of a payment. */
  swap: opcode('dedust_cpmm_swap'),
  swapEvent: opcode('dedust_cpmm_swap_event'),
  withdraw: opcode('dedust_cpmm_withdraw'),
  /** Pool to position. */
  withdrawLiquidity: opcode('dedust_cpmm_withdraw_liquidity'),
  /** Position to pool. */
  exitLiquidity: opcode('dedust_cpmm_exit_liquidity'),
  withdrawalEvent: opcode('dedust_cpmm_withdrawal_event'),
  /** Payload of a payment. */
  deposit: opcode('dedust_cpmm_deposit'),
  /** Pool to deposit contract. */
  creditAsset: opcode('dedust_cpmm_credit_asset'),
  /** Deposit contract to pool. */
  joinLiquidity: opcode('dedust_cpmm_join_liquidity'),
  depositEvent: opcode('dedust_cpmm_deposit_event'),
  /** Pool to position. */
  creditLiquidity: opcode('dedust_cpmm_credit_liquidity'),
  claimFees: opcode('dedust_cpmm_claim_position_fees'),
  /** Pool to position. */
  claimAvailableFees: opcode('dedust_cpmm_claim_available_fees'),
  /** Position to pool. */
  payOutFees: opcode('dedust_cpmm_payout_position_fees'),
  claimReward: opcode('dedust_cpmm_claim_reward'),
  /** Pool to position. */
  claimPositionReward: opcode('dedust_cpmm_claim_position_reward'),
  /** Position to pool. */
  payOutReward: opcode('dedust_cpmm_payout_reward'),
} as const
