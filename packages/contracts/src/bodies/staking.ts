import { type DictKey, forEachLeaf, loadDictRoot, type Slice } from '@shardwalk/cells'
import { bodyFields, dataFields } from '../decoding/body-fields.ts'

/** Liquid staking. Source: ton-blockchain/liquid-staking-contract, contracts/payout_nft. */
export const LIQUID_STAKING_BODIES = {
  billBurnNotification: bodyFields('tonstake_nft_burn_notification', { amount: 'amount', owner: 'address' }),
} as const

const BURNT = { tokens: 'amount', owner: 'address' } as const

/** Hipo. Source: HipoFinance/contract, contracts/schema.tlb. */
export const HIPO_BODIES = {
  deposit: bodyFields('hipo_finance_deposit_coins', { owner: 'address', coins: 'amount' }),
  tokensMinted: bodyFields('hipo_finance_proxy_tokens_minted', {
    tokens: 'amount',
    coins: 'amount',
    owner: 'address',
  }),
  saveCoins: bodyFields('hipo_finance_proxy_save_coins', { coins: 'amount' }),
  tokensBurned: bodyFields('hipo_finance_proxy_tokens_burned', { ...BURNT, coins: 'amount' }),
  rollback: bodyFields('hipo_finance_proxy_rollback_unstake', BURNT),
  reserveTokens: bodyFields('hipo_finance_reserve_tokens', BURNT),
  mintBill: bodyFields('hipo_finance_mint_bill', { amount: 'amount', owner: 'address', parent: 'address' }),
  mintTokens: bodyFields('hipo_finance_mint_tokens', { owner: 'address' }),
  burnTokens: bodyFields('hipo_finance_burn_tokens', BURNT),
} as const

/** JVault staking. Source: JVault-app/staking-v2, contracts/staking_pool.fc and stake_wallet.fc. */
export const JVAULT_BODIES = {
  stakePayload: bodyFields('jvault_stake_payload', { period: 'number' }),
  unstakeJettons: bodyFields('jvault_unstake_jettons', { jettons_to_unstake: 'amount' }),
  unstakeRequest: bodyFields('jvault_unstake_request', { jettons_to_unstake: 'amount' }),
  claimRewards: bodyFields('jvault_claim_rewards_msg', { jettons_to_claim: loadAddressKeys }),
} as const

/** Data of its contracts. */
export const JVAULT_DATA = {
  stakeWallet: dataFields('jvault_stake_wallet', { pool_address: 'address', minter_address: 'address' }),
  pool: dataFields('jvault_pool', { lock_wallet_address: 'address' }),
} as const

/** More than a pool rewards; a few shared cells can describe 2^267. */
const MAX_ADDRESSES = 255

/** Keys of `HashmapE 267 X`: `addr_std` with its three tag bits. Throws DecodeError. */
function loadAddressKeys(slice: Slice): string[] {
  const addresses: string[] = []
  const visit = (_: Slice, key: DictKey) => {
    const bits = key.toBigInt()
    const workchain = BigInt.asIntN(8, bits >> 256n)
    addresses.push(`${workchain}:${BigInt.asUintN(256, bits).toString(16).toUpperCase().padStart(64, '0')}`)
  }
  forEachLeaf(loadDictRoot(slice), 267, visit, { most: MAX_ADDRESSES })
  return addresses
}
