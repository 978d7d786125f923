import { opcode } from './declared.ts'

/** TONCO. Source: docs.tonco.io; @toncodex/sdk, opcodes of router, pool, account and position. */
export const TONCO = {
  swap: opcode('tonco_pool_swap'),
  payTo: opcode('tonco_router_pay_to_normal'),
  createPool: opcode('tonco_router_create_pool'),
  initPool: opcode('tonco_pool_init'),
  fundAccount: opcode('tonco_pool_fund_account'),
  addLiquidity: opcode('tonco_account_add_liquidity'),
  mintAndRefund: opcode('tonco_pool_mint_and_refund'),
  startBurn: opcode('tonco_pool_start_burn'),
  positionBurn: opcode('tonco_position_nft_burn'),
  poolBurn: opcode('tonco_pool_burn'),
} as const
