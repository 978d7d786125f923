import type * as z from 'zod'
import type {
  JettonBurnReply,
  JettonMasterReply,
  JettonTransferReply,
  JettonWalletReply,
} from './contract-replies.ts'
import type {
  JettonBurnView,
  JettonMasterView,
  JettonTransferView,
  JettonWalletView,
} from './contract-rows.ts'
import {
  type AddressOf,
  addresses,
  decodedPayload,
  hashOrNull,
  hashText,
  payload,
  transactionOf,
} from './contract-text.ts'
import type { Json } from './text.ts'

/** `JettonMaster` of API v3. */
export function toJettonMasterReply(row: JettonMasterView, addressOf: AddressOf): Json {
  const { text, textOrNull } = addresses(addressOf)
  return JSON.stringify({
    address: text(row.account_id),
    total_supply: row.total_supply,
    mintable: row.mintable,
    admin_address: textOrNull(row.admin_id),
    jetton_content: row.content,
    jetton_wallet_code_hash: hashText(row.wallet_code_hash),
    code_hash: hashOrNull(row.code_hash),
    data_hash: hashOrNull(row.data_hash),
    last_transaction_lt: String(row.lt),
  } satisfies z.input<typeof JettonMasterReply>)
}

/** `JettonWallet` of API v3; `mintless_info` is set until the owner has claimed the airdrop. */
export function toJettonWalletReply(row: JettonWalletView, addressOf: AddressOf): Json {
  return JSON.stringify({
    address: addressOf(row.account_id),
    balance: row.balance,
    owner: addressOf(row.owner_id),
    jetton: addressOf(row.jetton_id),
    last_transaction_lt: String(row.lt),
    code_hash: hashOrNull(row.code_hash),
    data_hash: hashOrNull(row.data_hash),
    ...(row.amount !== null && row.is_claimed !== true && { mintless_info: airdropOf(row, row.amount) }),
  } satisfies z.input<typeof JettonWalletReply>)
}

const airdropOf = (row: JettonWalletView, amount: string) => ({
  amount,
  start_from: secondsOrNull(row.start_from),
  expire_at: secondsOrNull(row.expire_at),
  custom_payload_api_uri: row.custom_payload_api_uri && [...row.custom_payload_api_uri],
})

const secondsOrNull = (value: bigint | null): number | null => (value === null ? null : Number(value))

/** `JettonTransfer` of API v3. */
export function toJettonTransferReply(row: JettonTransferView, addressOf: AddressOf): Json {
  const { text, textOrNull } = addresses(addressOf)
  return JSON.stringify({
    query_id: row.query_id,
    source: text(row.source_id),
    destination: textOrNull(row.destination_id),
    amount: row.amount,
    source_wallet: text(row.account_id),
    jetton_master: text(row.jetton_id),
    ...transactionOf(row),
    response_destination: textOrNull(row.response_id),
    custom_payload: payload(row.custom_payload),
    decoded_custom_payload: decodedPayload(row.custom_payload),
    forward_ton_amount: row.forward_amount,
    forward_payload: payload(row.forward_payload),
    decoded_forward_payload: decodedPayload(row.forward_payload),
    trace_id: hashOrNull(row.trace_id),
  } satisfies z.input<typeof JettonTransferReply>)
}

/** `JettonBurn` of API v3. */
export function toJettonBurnReply(row: JettonBurnView, addressOf: AddressOf): Json {
  const { text, textOrNull } = addresses(addressOf)
  return JSON.stringify({
    query_id: row.query_id,
    owner: text(row.owner_id),
    jetton_wallet: text(row.account_id),
    jetton_master: text(row.jetton_id),
    ...transactionOf(row),
    amount: row.amount,
    response_destination: textOrNull(row.response_id),
    custom_payload: payload(row.custom_payload),
    decoded_custom_payload: decodedPayload(row.custom_payload),
    trace_id: hashOrNull(row.trace_id),
  } satisfies z.input<typeof JettonBurnReply>)
}
