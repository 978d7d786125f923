import { opcode } from './declared.ts'

/**
 * Liquid staking (Tonstakers). Source: ton-blockchain/liquid-staking-contract, contracts/op-codes.func and
 * contracts/payout_nft/op-codes.func.
 */
export const LIQUID_STAKING = {
  deposit: opcode('tonstake_pool_deposit'),
  mintJettons: opcode('tonstake_payout_mint_jettons'),
  withdraw: opcode('tonstake_pool_withdraw'),
  withdrawal: opcode('tonstake_pool_withdrawal'),
  /** A bill is an NFT that stands for a delayed withdrawal. */
  billInit: opcode('tonstake_nft_init'),
  billBurn: opcode('tonstake_nft_burn'),
  billBurnNotification: opcode('tonstake_nft_burn_notification'),
  billPayout: opcode('tonstake_nft_payout'),
  startDistribution: 0x1140a64f,
} as const

/** Nominator pool. Source: ton-blockchain/nominator-pool, func/pool.fc. */
export const NOMINATORS = {
  processWithdrawals: 0x00000002,
} as const

/** Single nominator pool. Source: orbs-network/single-nominator, contracts/single-nominator.fc. */
export const SINGLE_NOMINATOR = {
  withdraw: 0x00001000,
  changeValidator: 0x00001001,
} as const

/** Elector. Source: ton-blockchain/ton, crypto/smartcont/elector-code.fc. */
export const ELECTIONS = {
  newStake: opcode('elector_new_stake'),
  stakeAccepted: opcode('elector_new_stake_confirmation'),
  recoverStake: opcode('elector_recover_stake_request'),
  stakeReturned: opcode('elector_recover_stake_response'),
} as const
