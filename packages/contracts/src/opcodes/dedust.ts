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
