import { opcode } from './declared.ts'

/** STON.fi v1. Source: ston-fi/dex-core, contracts/router/op.func and contracts/pool/op.func. */
export const STONFI_V1 = {
  swap: opcode('stonfi_swap'),
  payTo: opcode('stonfi_payment_request'),
  /** Exit codes of a payout: this and the next two. */
  swapOk: opcode('stonfi_swap_ok_forward_payload'),
  noLiquidity: 0x5ffe1295,
  reserveError: 0x38976e9b,
} as const

/** STON.fi v2. Source: ston-fi/dex-core-v2, contracts/common/op.fc, and docs.ston.fi. */
export const STONFI_V2 = {
  swap: opcode('stonfi_swap_v2'),
  crossSwap: 0x69cf1a5b,
  payTo: opcode('stonfi_pay_to_v2'),
  provide: opcode('stonfi_provide_lp_v2'),
  addLiquidity: opcode('stonfi_add_liquidity_v2'),
  callbackAddLiquidity: opcode('stonfi_cb_add_liquidity_v2'),
  /** Sent by an LP wallet to the pool. */
  burnNotification: opcode('stonfi_burn_notification_ext_v2'),
  refundMe: 0x132b9a2c,
  refund: 0x0f98e2b8,
} as const

/**
 * pTON, TON wrapped as a jetton. Source: ston-fi/pton-contracts, contracts/common/op.fc and docs/specs.tlb.
 */
export const PTON = {
  tonTransfer: opcode('pton_ton_transfer'),
} as const
