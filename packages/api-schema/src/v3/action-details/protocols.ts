import * as z from 'zod'
import { address as rawAddress } from '../replies.ts'
import { address, bool, cell, digits, ends, int, query, sum, text, viaWallet, wide } from './kinds.ts'

const stake = { provider: text, stake_holder: address, pool: address, asset: address }

const evaa = {
  recipient_jetton_wallet: address,
  master_jetton_wallet: address,
  master: address,
  asset_id: text,
  source: address,
  recipient: address,
  asset: text,
  amount: digits,
}

const jvaultUnstake = z.strictObject({
  source: address,
  stake_wallet: address,
  pool: address,
  amount: digits,
  exit_code: int,
  asset: address,
  staking_asset: address,
})

const tgbtcMint = z.strictObject({
  ...ends,
  amount: digits,
  asset: address,
  bitcoin_tx_id: text,
  destination_wallet: address,
})

const tgbtcBurn = z.strictObject({ ...ends, source_wallet: address, amount: digits, asset: address })

const tgbtcNewKey = z.strictObject({
  source: address,
  pubkey: text,
  coordinator: address,
  pegout: address,
  amount: digits,
  asset: address,
})

const lzSend = {
  layerzero_send_data: z
    .strictObject({
      send_request_id: wide,
      msglib_manager: text,
      msglib: text,
      uln: address,
      native_fee: wide,
      zro_fee: wide,
      endpoint: address,
      channel: address,
    })
    .meta({ id: 'ActionDetailsLayerZeroSend' })
    .nullable(),
}

const lzPacket = {
  layerzero_packet_data: z
    .strictObject({
      src_oapp: text,
      dst_oapp: text,
      src_eid: wide,
      dst_eid: wide,
      nonce: wide,
      guid: text,
      message: text,
    })
    .meta({ id: 'ActionDetailsLayerZeroPacket' })
    .nullable(),
}

/** Staking, multisigs, vesting, lending, bridges. */
export const PROTOCOLS_ACTION_DETAILS = {
  stake_deposit: z.strictObject({
    ...stake,
    amount: digits,
    tokens_minted: digits,
    source_asset: address.optional(),
  }),
  stake_withdrawal: z.strictObject({ ...stake, amount: digits, payout_nft: address, tokens_burnt: digits }),
  stake_withdrawal_request: z.strictObject({
    ...stake,
    payout_nft: address,
    tokens_burnt: digits,
    tokens_minted: digits.optional(),
  }),
  multisig_create_order: z.strictObject({
    ...query,
    order_seqno: digits,
    is_created_by_signer: bool,
    is_signed_by_creator: bool,
    creator_index: int,
    expiration_date: int,
    order_boc: cell,
    ...ends,
    destination_order: address,
  }),
  multisig_approve: z.strictObject({ signer_index: int, exit_code: int, ...ends }),
  multisig_execute: z.strictObject({
    ...query,
    order_seqno: digits,
    expiration_date: int,
    approvals_num: int,
    signers_hash: text,
    order_boc: cell,
    ...ends,
  }),
  vesting_send_message: z.strictObject({ ...query, message_boc: cell, ...ends, vesting: address, ...sum }),
  vesting_add_whitelist: z.strictObject({
    ...query,
    accounts_added: z.array(address),
    source: address,
    vesting: address,
  }),
  gasless_request: z.strictObject({ ...ends, value: digits }),
  change_wallet_key: z.strictObject({
    ...ends,
    value: digits,
    new_public_key: text,
    rotation_signature: text,
    encrypted_old_private_key: text,
  }),
  evaa_supply: z.strictObject({
    ...evaa,
    sender_jetton_wallet: address,
    is_ton: bool,
    source_wallet: address,
    recipient_contract: address,
  }),
  evaa_withdraw: z.strictObject({ ...evaa, fail_reason: text, owner_contract: address }),
  evaa_liquidate: z.strictObject({
    fail_reason: text,
    debt_amount: digits,
    source: address,
    borrower: address,
    borrower_contract: address,
    collateral: text,
    asset_id: text,
    asset: text,
    is_known_asset: z.boolean(),
    amount: digits,
  }),
  jvault_stake: z.strictObject({
    period: int,
    minted_stake_jettons: digits,
    stake_wallet: address,
    ...viaWallet,
    pool: address,
  }),
  jvault_unstake: jvaultUnstake,
  jvault_unstake_request: jvaultUnstake,
  jvault_claim: z.strictObject({
    claimed_rewards: z.array(
      z.strictObject({ jetton: rawAddress, amount: digits }).meta({ id: 'ActionDetailsJVaultReward' }),
    ),
    source: address,
    stake_wallet: address,
    pool: address,
  }),
  tgbtc_mint: tgbtcMint,
  tgbtc_mint_fallback: tgbtcMint,
  tgbtc_burn: tgbtcBurn,
  tgbtc_burn_fallback: tgbtcBurn,
  tgbtc_new_key: tgbtcNewKey,
  tgbtc_new_key_fallback: tgbtcNewKey,
  tgbtc_dkg_log_fallback: z.strictObject({ coordinator: address, pubkey: text, timestamp: digits }),
  layerzero_send: z.strictObject({ initiator: address, ...lzSend, ...lzPacket }),
  layerzero_send_tokens: z.strictObject({
    sender: address,
    sender_wallet: address,
    oapp: address,
    oapp_wallet: address,
    asset: address,
    amount: digits,
    ...lzSend,
    ...lzPacket,
  }),
  layerzero_receive: z.strictObject({ sender: address, oapp: address, channel: address, ...lzPacket }),
  layerzero_commit_packet: z.strictObject({
    sender: address,
    endpoint: address,
    uln: address,
    uln_connection: address,
    channel: address,
    msglib_connection: address,
    ...lzPacket,
  }),
  layerzero_dvn_verify: z.strictObject({
    initiator: address,
    nonce: wide.optional(),
    status: text.optional(),
    dvn: address.optional(),
    proxy: address.optional(),
    uln: address.optional(),
    uln_connection: address.optional(),
  }),
  cocoon_worker_payout: z.strictObject({
    payout_type: text,
    ...query,
    new_tokens: digits,
    worker_state: int,
    worker_tokens: digits,
    ...ends,
    ...sum,
  }),
  cocoon_proxy_payout: z.strictObject({ ...query, ...ends }),
  cocoon_proxy_charge: z.strictObject({ ...query, new_tokens_used: digits, expected_address: text, ...ends }),
  cocoon_client_top_up: z.strictObject({ ...query, ...ends, ...sum }),
  cocoon_register_proxy: z.strictObject({ ...query, destination: address }),
  cocoon_unregister_proxy: z.strictObject({ ...query, seqno: int, destination: address }),
  cocoon_client_register: z.strictObject({ ...query, nonce: digits, ...ends }),
  cocoon_client_change_secret_hash: z.strictObject({ ...query, new_secret_hash: text, ...ends }),
  cocoon_client_request_refund: z.strictObject({ ...query, via_wallet: bool, ...ends }),
  cocoon_grant_refund: z.strictObject({
    ...query,
    new_tokens_used: digits,
    expected_address: text,
    ...ends,
    ...sum,
  }),
  cocoon_client_increase_stake: z.strictObject({ ...query, new_stake: digits, ...ends, ...sum }),
  cocoon_client_withdraw: z.strictObject({ ...query, withdraw_amount: digits, ...ends, ...sum }),
} as const
