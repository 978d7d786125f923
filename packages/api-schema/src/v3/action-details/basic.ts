import * as z from 'zod'
import { currencies, digits as decimal, address as rawAddress } from '../replies.ts'
import { address, bool, cell, digits, int, query, sum, text } from './kinds.ts'

const call = {
  opcode: z.string().optional(),
  source: rawAddress.optional(),
  destination: rawAddress.optional(),
  value: decimal.optional(),
}

const callContract = z.strictObject({ ...call, extra_currencies: currencies })

const tonTransfer = z.strictObject({
  source: address,
  destination: address,
  value: digits,
  value_extra_currencies: currencies,
  comment: text,
  encrypted: z.boolean(),
})

const nothing = z.strictObject({})

const domain = { source: address, asset: address, nft_collection: address }

const subscription = {
  subscriber: address,
  beneficiary: rawAddress.optional(),
  subscription: text,
  amount: decimal.optional(),
}

const election = { stake_holder: address, amount: decimal.optional() }

/** Transfers, calls, jettons, domains, subscriptions and elections. */
export const BASIC_ACTION_DETAILS = {
  call_contract: callContract,
  contract_deploy: z.strictObject(call),
  ton_transfer: tonTransfer,
  extra_currency_transfer: z.union([callContract, tonTransfer]),
  tick_tock: nothing,
  unknown: nothing,
  jetton_transfer: z.strictObject({
    asset: address,
    sender: address,
    receiver: address,
    sender_jetton_wallet: address,
    receiver_jetton_wallet: address,
    amount: digits,
    comment: text,
    is_encrypted_comment: bool,
    ...query,
    response_destination: address,
    custom_payload: cell,
    forward_payload: cell,
    forward_amount: digits,
  }),
  jetton_burn: z.strictObject({ owner: address, owner_jetton_wallet: address, asset: address, ...sum }),
  jetton_mint: z.strictObject({
    asset: address,
    receiver: address,
    receiver_jetton_wallet: address,
    amount: digits,
    ton_amount: digits,
  }),
  change_dns: z.strictObject({
    key: text,
    value: z
      .strictObject({
        sum_type: text,
        dns_smc_address: text,
        dns_adnl_address: text,
        dns_text: text,
        dns_next_resolver_address: text,
        dns_storage_address: text,
        flags: int,
      })
      .meta({ id: 'ActionDetailsChangeDnsValue' }),
    ...domain,
  }),
  delete_dns: z.strictObject({ hash: text, ...domain }),
  renew_dns: z.strictObject(domain),
  subscribe: z.strictObject(subscription),
  unsubscribe: z.strictObject(subscription),
  election_deposit: z.strictObject(election),
  election_recover: z.strictObject(election),
} as const
