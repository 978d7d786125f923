import type { ActionRow } from '../row.ts'
import { amount, type Details, opcodeText, orNull, present, type Render } from './render.ts'

const callContract: Render = (row) => ({
  ...present({
    opcode: opcodeText(row.opcode),
    source: orNull(row.source),
    destination: orNull(row.destination),
    value: amount(row.value),
  }),
  extra_currencies: row.value_extra_currencies ?? {},
})

const contractDeploy: Render = (row) =>
  present({
    opcode: opcodeText(row.opcode),
    source: orNull(row.source),
    destination: orNull(row.destination),
    value: amount(row.value),
  })

const tonTransfer: Render = (row) => ({
  source: orNull(row.source),
  destination: orNull(row.destination),
  value: amount(row.value),
  value_extra_currencies: row.value_extra_currencies ?? {},
  comment: orNull(row.ton_transfer_data?.content),
  encrypted: row.ton_transfer_data?.encrypted ?? false,
})

const jettonTransfer: Render = (row) => ({
  asset: orNull(row.asset),
  sender: orNull(row.source),
  receiver: orNull(row.destination),
  sender_jetton_wallet: orNull(row.source_secondary),
  receiver_jetton_wallet: orNull(row.destination_secondary),
  amount: amount(row.amount),
  comment: orNull(row.jetton_transfer_data?.comment),
  is_encrypted_comment: orNull(row.jetton_transfer_data?.is_encrypted_comment),
  query_id: amount(row.jetton_transfer_data?.query_id),
  response_destination: orNull(row.jetton_transfer_data?.response_destination),
  custom_payload: orNull(row.jetton_transfer_data?.custom_payload),
  forward_payload: orNull(row.jetton_transfer_data?.forward_payload),
  forward_amount: amount(row.jetton_transfer_data?.forward_amount),
})

const jettonBurn: Render = (row) => ({
  owner: orNull(row.source),
  owner_jetton_wallet: orNull(row.source_secondary),
  asset: orNull(row.asset),
  amount: amount(row.amount),
})

const jettonMint: Render = (row) => ({
  asset: orNull(row.asset),
  receiver: orNull(row.destination),
  receiver_jetton_wallet: orNull(row.destination_secondary),
  amount: amount(row.amount),
  ton_amount: amount(row.value),
})

const changeDns: Render = (row) => {
  const data = row.change_dns_record_data
  const schema = orNull(data?.value_schema)
  const ofSchema = (name: string): string | null => (schema === name ? orNull(data?.value) : null)
  return {
    key: orNull(data?.key),
    value: {
      sum_type: schema,
      dns_smc_address: ofSchema('DNSSmcAddress'),
      dns_adnl_address: ofSchema('DNSAdnlAddress'),
      dns_text: ofSchema('DNSText'),
      dns_next_resolver_address: ofSchema('DNSNextResolver'),
      dns_storage_address: ofSchema('DNSStorageAddress'),
      flags: orNull(data?.flags),
    },
    ...domain(row),
  }
}

const domain = (row: ActionRow): Details => ({
  source: orNull(row.source),
  asset: orNull(row.destination),
  nft_collection: orNull(row.asset),
})

export const BASIC_DETAILS: Readonly<Record<string, Render>> = {
  call_contract: callContract,
  contract_deploy: contractDeploy,
  ton_transfer: tonTransfer,
  tick_tock: () => ({}),
  unknown: () => ({}),
  jetton_transfer: jettonTransfer,
  jetton_burn: jettonBurn,
  jetton_mint: jettonMint,
  change_dns: changeDns,
  delete_dns: (row) => ({ hash: orNull(row.change_dns_record_data?.key), ...domain(row) }),
  renew_dns: domain,
  subscribe: (row) => ({
    subscriber: orNull(row.source),
    ...present({ beneficiary: orNull(row.destination) }),
    subscription: orNull(row.destination_secondary),
    ...present({ amount: amount(row.amount) }),
  }),
  unsubscribe: (row) => ({
    subscriber: orNull(row.source),
    ...present({ beneficiary: orNull(row.destination) }),
    subscription: orNull(row.destination_secondary),
    ...present({ amount: amount(row.amount) }),
  }),
  election_deposit: (row) => ({
    stake_holder: orNull(row.source),
    ...present({ amount: amount(row.amount) }),
  }),
  election_recover: (row) => ({
    stake_holder: orNull(row.source),
    ...present({ amount: amount(row.amount) }),
  }),
}
