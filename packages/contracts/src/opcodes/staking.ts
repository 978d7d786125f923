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

/** Hipo, liquid staking through one treasury. Source: HipoFinance/contract, contracts/schema.tlb. */
export const HIPO = {
  deposit: opcode('hipo_finance_deposit_coins'),
  /** Treasury to jetton master, which passes it on to the wallet of the staker; so for the pairs below. */
  proxyTokensMinted: opcode('hipo_finance_proxy_tokens_minted'),
  tokensMinted: opcode('hipo_finance_tokens_minted'),
  proxySaveCoins: opcode('hipo_finance_proxy_save_coins'),
  saveCoins: opcode('hipo_finance_save_coins'),
  proxyTokensBurned: opcode('hipo_finance_proxy_tokens_burned'),
  tokensBurned: opcode('hipo_finance_tokens_burned'),
  proxyRollback: opcode('hipo_finance_proxy_rollback_unstake'),
  rollback: opcode('hipo_finance_rollback_unstake'),
  /** Wallet to staker, with the money. */
  withdrawalNotification: opcode('hipo_finance_withdrawal_notification'),
  /** Wallet to jetton master, then master to treasury. */
  proxyReserveTokens: opcode('hipo_finance_proxy_reserve_tokens'),
  reserveTokens: opcode('hipo_finance_reserve_tokens'),
  /** A bill is an NFT that stands for what is settled at the end of a round. */
  mintBill: opcode('hipo_finance_mint_bill'),
  assignBill: opcode('hipo_finance_assign_bill'),
  burnBill: opcode('sbt_revoke'),
  billBurned: opcode('hipo_finance_bill_burned'),
  /** Collection of bills to treasury, at the end of a round. */
  mintTokens: opcode('hipo_finance_mint_tokens'),
  burnTokens: opcode('hipo_finance_burn_tokens'),
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
