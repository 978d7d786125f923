import { type AddressOf, type Json, toJettonWalletReply } from '@shardwalk/api-schema'

const NO_AIRDROP = {
  is_claimed: null,
  amount: null,
  start_from: null,
  expire_at: null,
  custom_payload_api_uri: null,
}

type Wallet = Omit<Parameters<typeof toJettonWalletReply>[0], keyof typeof NO_AIRDROP>

/** A jetton wallet as an event shows it: without what its owner may still claim. */
export const jettonWalletText = (wallet: Wallet, addressOf: AddressOf): Json =>
  toJettonWalletReply({ ...wallet, ...NO_AIRDROP }, addressOf)
