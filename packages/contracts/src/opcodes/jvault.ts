import { opcode } from './declared.ts'

/**
 * JVault staking. Source: JVault-app/staking-v2, contracts/imports/constants.fc; those of referrals were read
 * from mainnet messages.
 */
export const JVAULT = {
  receiveJettons: opcode('jvault_receive_jettons'),
  requestUpdateRewards: opcode('jvault_request_update_rewards'),
  updateRewards: opcode('jvault_update_rewards'),
  cancelStake: 0x9eada1d9,
  setData: opcode('jvault_set_data'),
  unstakeJettons: opcode('jvault_unstake_jettons'),
  unstakeRequest: opcode('jvault_unstake_request'),
  claimRewards: opcode('jvault_claim_rewards_msg'),
  sendClaimedRewards: opcode('jvault_send_claimed_rewards'),
  requestUpdateReferrer: opcode('jvault_request_update_referrer'),
  updateReferrer: opcode('jvault_update_referrer'),
} as const
