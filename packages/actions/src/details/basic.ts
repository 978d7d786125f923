import type { ActionRow } from '../row.ts'
import { columns, type Fields, from, type Json, type Shape } from './render.ts'

/** `0x` and eight digits. */
const opcode = ({ opcode }: ActionRow): string | null =>
  opcode === null || opcode === undefined ? null : `0x${opcode.toString(16).padStart(8, '0')}`

const currencies = (row: ActionRow): Json => row.value_extra_currencies ?? {}

const CALL: Fields = {
  'opcode?': opcode,
  'source?': 'source',
  'destination?': 'destination',
  'value?': 'value',
}

const DOMAIN: Fields = { source: 'source', asset: 'destination', nft_collection: 'asset' }

/** The value of a record of one kind; null for the others. */
const recordOf =
  (schema: string) =>
  ({ change_dns_record_data: data }: ActionRow): string | null =>
    data?.value_schema === schema ? (data.value ?? null) : null

const RECORD_VALUES = {
  dns_smc_address: recordOf('DNSSmcAddress'),
  dns_adnl_address: recordOf('DNSAdnlAddress'),
  dns_text: recordOf('DNSText'),
  dns_next_resolver_address: recordOf('DNSNextResolver'),
  dns_storage_address: recordOf('DNSStorageAddress'),
}

const recordValue = (row: ActionRow): Json => ({
  sum_type: row.change_dns_record_data?.value_schema ?? null,
  ...Object.fromEntries(Object.entries(RECORD_VALUES).map(([name, read]) => [name, read(row)])),
  flags: row.change_dns_record_data?.flags ?? null,
})

const SUBSCRIPTION: Fields = {
  subscriber: 'source',
  'beneficiary?': 'destination',
  subscription: 'destination_secondary',
  'amount?': 'amount',
}

const ELECTION: Fields = { stake_holder: 'source', 'amount?': 'amount' }

/** `details` of transfers, jettons, domains and elections, by type of action. */
export const BASIC_DETAILS: Readonly<Record<string, Shape>> = {
  call_contract: { ...CALL, extra_currencies: currencies },
  contract_deploy: CALL,
  ton_transfer: {
    ...columns('source', 'destination', 'value'),
    value_extra_currencies: currencies,
    comment: 'ton_transfer_data.content',
    encrypted: (row) => row.ton_transfer_data?.encrypted ?? false,
  },
  tick_tock: {},
  unknown: {},
  jetton_transfer: {
    asset: 'asset',
    sender: 'source',
    receiver: 'destination',
    sender_jetton_wallet: 'source_secondary',
    receiver_jetton_wallet: 'destination_secondary',
    amount: 'amount',
    ...from('jetton_transfer_data', 'comment', 'is_encrypted_comment', 'query_id', 'response_destination'),
    ...from('jetton_transfer_data', 'custom_payload', 'forward_payload', 'forward_amount'),
  },
  jetton_burn: { owner: 'source', owner_jetton_wallet: 'source_secondary', ...columns('asset', 'amount') },
  jetton_mint: {
    asset: 'asset',
    receiver: 'destination',
    receiver_jetton_wallet: 'destination_secondary',
    amount: 'amount',
    ton_amount: 'value',
  },
  change_dns: { ...from('change_dns_record_data', 'key'), value: recordValue, ...DOMAIN },
  delete_dns: { hash: 'change_dns_record_data.key', ...DOMAIN },
  renew_dns: DOMAIN,
  subscribe: SUBSCRIPTION,
  unsubscribe: SUBSCRIPTION,
  election_deposit: ELECTION,
  election_recover: ELECTION,
}
