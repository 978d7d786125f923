import type { ActionRow } from '../row.ts'
import type { Address } from '../trace.ts'
import { evaaAsset } from './evaa-assets.ts'
import {
  columns,
  type Details,
  type Fields,
  from,
  number,
  type RenderContext,
  type Shape,
  text,
} from './render.ts'

/** Older rows have the name of the first pool of this kind. */
function provider({ staking_data }: ActionRow): string | null {
  const stored = staking_data?.provider ?? null
  return stored === 'tonstakers' ? 'liquid_staking' : stored
}

const STAKING: Fields = { provider, stake_holder: 'source', pool: 'destination' }

/** The burnt amount; rows of requests store it as the amount too. */
const requestedTokens = (row: ActionRow): string | null =>
  text(row.staking_data?.tokens_burnt) ?? (provider(row) === 'liquid_staking' ? text(row.amount) : null)

/** Undefined: not known. */
const evaaAssetOf = (
  { evaa_liquidate_data }: ActionRow,
  { network }: RenderContext,
): Address | null | undefined => evaa_liquidate_data && evaaAsset(evaa_liquidate_data.asset_id, network)

/** Empty unless each jetton has its amount. */
function claimedRewards({ jvault_claim_data }: ActionRow): Details[] {
  const { claimed_jettons = [], claimed_amounts = [] } = jvault_claim_data ?? {}
  if (claimed_jettons.length !== claimed_amounts.length) return []
  return claimed_jettons.map((jetton, at) => ({ jetton, amount: text(claimed_amounts[at]) }))
}

const JVAULT_UNSTAKE: Fields = {
  source: 'source',
  stake_wallet: 'source_secondary',
  pool: 'destination',
  amount: 'amount',
  exit_code: 'opcode',
  asset: 'asset',
  staking_asset: 'asset2',
}

const TGBTC_MINT: Fields = {
  ...columns('source', 'destination', 'amount', 'asset'),
  bitcoin_tx_id: 'asset_secondary',
  destination_wallet: 'destination_secondary',
}

const TGBTC_BURN: Fields = {
  source: 'source',
  source_wallet: 'source_secondary',
  ...columns('destination', 'amount', 'asset'),
}

const TGBTC_NEW_KEY: Fields = {
  source: 'source',
  pubkey: 'source_secondary',
  coordinator: 'destination',
  pegout: 'destination_secondary',
  ...columns('amount', 'asset'),
}

const LAYERZERO_SEND: Fields = {
  layerzero_send_data: ({ layerzero_send_data: send }) =>
    send
      ? {
          ...send,
          send_request_id: number(send.send_request_id),
          native_fee: number(send.native_fee),
          zro_fee: number(send.zro_fee),
        }
      : null,
}

const LAYERZERO_PACKET: Fields = {
  layerzero_packet_data: ({ layerzero_packet_data: packet }) =>
    packet ? { ...packet, nonce: number(packet.nonce) } : null,
}

/** `details` of staking, lending, multisigs and other protocols, by type of action. */
export const PROTOCOL_DETAILS: Readonly<Record<string, Shape>> = {
  stake_deposit: {
    ...STAKING,
    amount: 'amount',
    ...from('staking_data', 'tokens_minted'),
    asset: 'asset',
    source_asset: (row) => (provider(row) === 'ethena' ? (row.asset2 ?? null) : undefined),
  },
  stake_withdrawal: {
    ...STAKING,
    amount: 'amount',
    payout_nft: 'staking_data.ts_nft',
    ...from('staking_data', 'tokens_burnt'),
    asset: 'asset',
  },
  stake_withdrawal_request: {
    ...STAKING,
    payout_nft: 'staking_data.ts_nft',
    asset: 'asset',
    tokens_burnt: requestedTokens,
    tokens_minted: (row) => (provider(row) === 'ethena' ? text(row.staking_data?.tokens_minted) : undefined),
  },
  multisig_create_order: {
    ...from('multisig_create_order_data', 'query_id', 'order_seqno', 'is_created_by_signer'),
    ...from('multisig_create_order_data', 'is_signed_by_creator', 'creator_index', 'expiration_date'),
    ...from('multisig_create_order_data', 'order_boc'),
    ...columns('source', 'destination'),
    destination_order: 'destination_secondary',
  },
  multisig_approve: {
    ...from('multisig_approve_data', 'signer_index', 'exit_code'),
    ...columns('source', 'destination'),
  },
  multisig_execute: {
    ...from('multisig_execute_data', 'query_id', 'order_seqno', 'expiration_date', 'approvals_num'),
    ...from('multisig_execute_data', 'signers_hash', 'order_boc'),
    ...columns('source', 'destination'),
  },
  vesting_send_message: {
    ...from('vesting_send_message_data', 'query_id', 'message_boc'),
    source: 'source',
    vesting: 'destination',
    destination: 'destination_secondary',
    amount: 'amount',
  },
  vesting_add_whitelist: {
    ...from('vesting_add_whitelist_data', 'query_id'),
    accounts_added: (row) => row.vesting_add_whitelist_data?.accounts_added ?? [],
    source: 'source',
    vesting: 'destination',
  },
  evaa_supply: {
    // Same as `source_wallet`; clients know it as null.
    sender_jetton_wallet: null,
    ...from('evaa_supply_data', 'recipient_jetton_wallet', 'master_jetton_wallet', 'master', 'asset_id'),
    ...from('evaa_supply_data', 'is_ton'),
    source: 'source',
    source_wallet: 'source_secondary',
    recipient: 'destination',
    recipient_contract: 'destination_secondary',
    ...columns('asset', 'amount'),
  },
  evaa_withdraw: {
    ...from('evaa_withdraw_data', 'recipient_jetton_wallet', 'master_jetton_wallet', 'master'),
    ...from('evaa_withdraw_data', 'fail_reason', 'asset_id'),
    source: 'source',
    recipient: 'destination',
    owner_contract: 'destination_secondary',
    ...columns('asset', 'amount'),
  },
  evaa_liquidate: {
    ...from('evaa_liquidate_data', 'fail_reason', 'debt_amount'),
    source: 'source',
    borrower: 'destination',
    borrower_contract: 'destination_secondary',
    collateral: 'asset',
    ...from('evaa_liquidate_data', 'asset_id'),
    asset: (row, context) => evaaAssetOf(row, context) ?? null,
    is_known_asset: (row, context) => evaaAssetOf(row, context) !== undefined,
    amount: 'amount',
  },
  jvault_stake: {
    ...from('jvault_stake_data', 'period'),
    minted_stake_jettons: null,
    ...from('jvault_stake_data', 'stake_wallet'),
    source: 'source',
    source_jetton_wallet: 'source_secondary',
    asset: 'asset',
    pool: 'destination',
    amount: 'amount',
  },
  jvault_unstake: JVAULT_UNSTAKE,
  jvault_unstake_request: JVAULT_UNSTAKE,
  jvault_claim: {
    claimed_rewards: claimedRewards,
    source: 'source',
    stake_wallet: 'source_secondary',
    pool: 'destination',
  },
  gasless_request: columns('source', 'destination', 'value'),
  change_wallet_key: {
    ...columns('source', 'destination', 'value'),
    ...from('change_wallet_key_data', 'new_public_key', 'rotation_signature', 'encrypted_old_private_key'),
  },
  tgbtc_mint: TGBTC_MINT,
  tgbtc_mint_fallback: TGBTC_MINT,
  tgbtc_burn: TGBTC_BURN,
  tgbtc_burn_fallback: TGBTC_BURN,
  tgbtc_new_key: TGBTC_NEW_KEY,
  tgbtc_new_key_fallback: TGBTC_NEW_KEY,
  tgbtc_dkg_log_fallback: { coordinator: 'source', pubkey: 'asset', timestamp: 'value' },
  layerzero_send: { initiator: 'source', ...LAYERZERO_SEND, ...LAYERZERO_PACKET },
  layerzero_send_tokens: {
    sender: 'source',
    sender_wallet: 'source_secondary',
    oapp: 'destination',
    oapp_wallet: 'destination_secondary',
    ...columns('asset', 'amount'),
    ...LAYERZERO_SEND,
    ...LAYERZERO_PACKET,
  },
  layerzero_receive: {
    sender: 'source',
    oapp: 'destination',
    channel: 'destination_secondary',
    ...LAYERZERO_PACKET,
  },
  layerzero_commit_packet: {
    sender: 'source',
    endpoint: 'source_secondary',
    uln: 'destination',
    uln_connection: 'destination_secondary',
    channel: 'asset',
    msglib_connection: 'asset_secondary',
    ...LAYERZERO_PACKET,
  },
  // Its members are those of what the verifier reported.
  layerzero_dvn_verify: ({ source, layerzero_dvn_verify_data: data }) => ({
    initiator: source ?? null,
    ...(data && { ...data, nonce: number(data.nonce) }),
  }),
}
