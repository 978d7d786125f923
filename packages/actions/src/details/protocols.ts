import type { ActionRow } from '../row.ts'
import { evaaAsset } from './evaa-assets.ts'
import { amount, type Details, number, orNull, type Render } from './render.ts'

/** Older rows have the name of the first pool of this kind. */
const providerOf = (row: ActionRow): string | null => {
  const provider = orNull(row.staking_data?.provider)
  return provider === 'tonstakers' ? 'liquid_staking' : provider
}

const staking = (row: ActionRow): Details => ({
  provider: providerOf(row),
  stake_holder: orNull(row.source),
  pool: orNull(row.destination),
})

/** The burnt amount; rows of requests store it as the amount too. */
const requestedTokens = (row: ActionRow): string | null =>
  amount(row.staking_data?.tokens_burnt) ?? (providerOf(row) === 'liquid_staking' ? amount(row.amount) : null)

const multisigCreate: Render = (row) => {
  const data = row.multisig_create_order_data
  return {
    query_id: amount(data?.query_id),
    order_seqno: amount(data?.order_seqno),
    is_created_by_signer: orNull(data?.is_created_by_signer),
    is_signed_by_creator: orNull(data?.is_signed_by_creator),
    creator_index: orNull(data?.creator_index),
    expiration_date: orNull(data?.expiration_date),
    order_boc: orNull(data?.order_boc),
    source: orNull(row.source),
    destination: orNull(row.destination),
    destination_order: orNull(row.destination_secondary),
  }
}

const multisigExecute: Render = (row) => {
  const data = row.multisig_execute_data
  return {
    query_id: amount(data?.query_id),
    order_seqno: amount(data?.order_seqno),
    expiration_date: orNull(data?.expiration_date),
    approvals_num: orNull(data?.approvals_num),
    signers_hash: orNull(data?.signers_hash),
    order_boc: orNull(data?.order_boc),
    source: orNull(row.source),
    destination: orNull(row.destination),
  }
}

const evaaSupply: Render = (row) => {
  const data = row.evaa_supply_data
  return {
    // Same as `source_wallet`; clients know it as null.
    sender_jetton_wallet: null,
    recipient_jetton_wallet: orNull(data?.recipient_jetton_wallet),
    master_jetton_wallet: orNull(data?.master_jetton_wallet),
    master: orNull(data?.master),
    asset_id: orNull(data?.asset_id),
    is_ton: orNull(data?.is_ton),
    source: orNull(row.source),
    source_wallet: orNull(row.source_secondary),
    recipient: orNull(row.destination),
    recipient_contract: orNull(row.destination_secondary),
    asset: orNull(row.asset),
    amount: amount(row.amount),
  }
}

const evaaWithdraw: Render = (row) => {
  const data = row.evaa_withdraw_data
  return {
    recipient_jetton_wallet: orNull(data?.recipient_jetton_wallet),
    master_jetton_wallet: orNull(data?.master_jetton_wallet),
    master: orNull(data?.master),
    fail_reason: orNull(data?.fail_reason),
    asset_id: orNull(data?.asset_id),
    source: orNull(row.source),
    recipient: orNull(row.destination),
    owner_contract: orNull(row.destination_secondary),
    asset: orNull(row.asset),
    amount: amount(row.amount),
  }
}

const evaaLiquidate: Render = (row, { network }) => {
  const data = row.evaa_liquidate_data
  const asset = data ? evaaAsset(data.asset_id, network) : undefined
  return {
    fail_reason: orNull(data?.fail_reason),
    debt_amount: amount(data?.debt_amount),
    source: orNull(row.source),
    borrower: orNull(row.destination),
    borrower_contract: orNull(row.destination_secondary),
    collateral: orNull(row.asset),
    asset_id: orNull(data?.asset_id),
    asset: orNull(asset),
    is_known_asset: asset !== undefined,
    amount: amount(row.amount),
  }
}

const jvaultUnstake: Render = (row) => ({
  source: orNull(row.source),
  stake_wallet: orNull(row.source_secondary),
  pool: orNull(row.destination),
  amount: amount(row.amount),
  exit_code: orNull(row.opcode),
  asset: orNull(row.asset),
  staking_asset: orNull(row.asset2),
})

const jvaultClaim: Render = (row) => {
  const { claimed_jettons = [], claimed_amounts = [] } = row.jvault_claim_data ?? {}
  const paired = claimed_jettons.length === claimed_amounts.length
  return {
    claimed_rewards: paired
      ? claimed_jettons.map((jetton, i) => ({ jetton, amount: amount(claimed_amounts[i]) }))
      : [],
    source: orNull(row.source),
    stake_wallet: orNull(row.source_secondary),
    pool: orNull(row.destination),
  }
}

const tgbtcMint: Render = (row) => ({
  source: orNull(row.source),
  destination: orNull(row.destination),
  amount: amount(row.amount),
  asset: orNull(row.asset),
  bitcoin_tx_id: orNull(row.asset_secondary),
  destination_wallet: orNull(row.destination_secondary),
})

const tgbtcBurn: Render = (row) => ({
  source: orNull(row.source),
  source_wallet: orNull(row.source_secondary),
  destination: orNull(row.destination),
  amount: amount(row.amount),
  asset: orNull(row.asset),
})

const tgbtcNewKey: Render = (row) => ({
  source: orNull(row.source),
  pubkey: orNull(row.source_secondary),
  coordinator: orNull(row.destination),
  pegout: orNull(row.destination_secondary),
  amount: amount(row.amount),
  asset: orNull(row.asset),
})

const layerzeroSend = (row: ActionRow): Details => {
  const send = row.layerzero_send_data
  return {
    layerzero_send_data: send
      ? {
          ...send,
          send_request_id: number(send.send_request_id),
          native_fee: number(send.native_fee),
          zro_fee: number(send.zro_fee),
        }
      : null,
  }
}

const layerzeroPacket = (row: ActionRow): Details => {
  const packet = row.layerzero_packet_data
  return { layerzero_packet_data: packet ? { ...packet, nonce: number(packet.nonce) } : null }
}

const dvnVerify: Render = (row) => {
  const data = row.layerzero_dvn_verify_data
  return { initiator: orNull(row.source), ...(data && { ...data, nonce: number(data.nonce) }) }
}

export const PROTOCOL_DETAILS: Readonly<Record<string, Render>> = {
  stake_deposit: (row) => ({
    ...staking(row),
    amount: amount(row.amount),
    tokens_minted: amount(row.staking_data?.tokens_minted),
    asset: orNull(row.asset),
    ...(providerOf(row) === 'ethena' && { source_asset: orNull(row.asset2) }),
  }),
  stake_withdrawal: (row) => ({
    ...staking(row),
    amount: amount(row.amount),
    payout_nft: orNull(row.staking_data?.ts_nft),
    tokens_burnt: amount(row.staking_data?.tokens_burnt),
    asset: orNull(row.asset),
  }),
  stake_withdrawal_request: (row) => ({
    ...staking(row),
    payout_nft: orNull(row.staking_data?.ts_nft),
    asset: orNull(row.asset),
    tokens_burnt: requestedTokens(row),
    ...(providerOf(row) === 'ethena' && { tokens_minted: amount(row.staking_data?.tokens_minted) }),
  }),
  multisig_create_order: multisigCreate,
  multisig_approve: (row) => ({
    signer_index: orNull(row.multisig_approve_data?.signer_index),
    exit_code: orNull(row.multisig_approve_data?.exit_code),
    source: orNull(row.source),
    destination: orNull(row.destination),
  }),
  multisig_execute: multisigExecute,
  vesting_send_message: (row) => ({
    query_id: amount(row.vesting_send_message_data?.query_id),
    message_boc: orNull(row.vesting_send_message_data?.message_boc),
    source: orNull(row.source),
    vesting: orNull(row.destination),
    destination: orNull(row.destination_secondary),
    amount: amount(row.amount),
  }),
  vesting_add_whitelist: (row) => ({
    query_id: amount(row.vesting_add_whitelist_data?.query_id),
    accounts_added: row.vesting_add_whitelist_data?.accounts_added ?? [],
    source: orNull(row.source),
    vesting: orNull(row.destination),
  }),
  evaa_supply: evaaSupply,
  evaa_withdraw: evaaWithdraw,
  evaa_liquidate: evaaLiquidate,
  jvault_stake: (row) => ({
    period: orNull(row.jvault_stake_data?.period),
    minted_stake_jettons: null,
    stake_wallet: orNull(row.jvault_stake_data?.stake_wallet),
    source: orNull(row.source),
    source_jetton_wallet: orNull(row.source_secondary),
    asset: orNull(row.asset),
    pool: orNull(row.destination),
    amount: amount(row.amount),
  }),
  jvault_unstake: jvaultUnstake,
  jvault_unstake_request: jvaultUnstake,
  jvault_claim: jvaultClaim,
  tgbtc_mint: tgbtcMint,
  tgbtc_mint_fallback: tgbtcMint,
  tgbtc_burn: tgbtcBurn,
  tgbtc_burn_fallback: tgbtcBurn,
  tgbtc_new_key: tgbtcNewKey,
  tgbtc_new_key_fallback: tgbtcNewKey,
  tgbtc_dkg_log_fallback: (row) => ({
    coordinator: orNull(row.source),
    pubkey: orNull(row.asset),
    timestamp: amount(row.value),
  }),
  layerzero_send: (row) => ({
    initiator: orNull(row.source),
    ...layerzeroSend(row),
    ...layerzeroPacket(row),
  }),
  layerzero_send_tokens: (row) => ({
    sender: orNull(row.source),
    sender_wallet: orNull(row.source_secondary),
    oapp: orNull(row.destination),
    oapp_wallet: orNull(row.destination_secondary),
    asset: orNull(row.asset),
    amount: amount(row.amount),
    ...layerzeroSend(row),
    ...layerzeroPacket(row),
  }),
  layerzero_receive: (row) => ({
    sender: orNull(row.source),
    oapp: orNull(row.destination),
    channel: orNull(row.destination_secondary),
    ...layerzeroPacket(row),
  }),
  layerzero_commit_packet: (row) => ({
    sender: orNull(row.source),
    endpoint: orNull(row.source_secondary),
    uln: orNull(row.destination),
    uln_connection: orNull(row.destination_secondary),
    channel: orNull(row.asset),
    msglib_connection: orNull(row.asset_secondary),
    ...layerzeroPacket(row),
  }),
  layerzero_dvn_verify: dvnVerify,
}
