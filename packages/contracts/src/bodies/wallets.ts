import type { Slice } from '@shardwalk/cells'
import { bodyFields } from '../decoding/body-fields.ts'
import { loadAddressText } from './address-text.ts'

/** Multisig v2. Source: ton-blockchain/multisig-contract-v2, contracts/multisig.func and order.func. */
export const MULTISIG_BODIES = {
  newOrder: bodyFields('mulisig_new_order', {
    query_id: 'bigint',
    order_seqno: 'bigint',
    signer: 'bool',
    index: 'number',
    expiration_date: 'number',
    order: 'cell',
  }),
  initOrder: loadOrderInit,
  approve: bodyFields('multisig_approve', { signer_index: 'number' }),
  approveRejected: bodyFields('multisig_approve_rejected', { exit_code: 'number' }),
  execute: bodyFields('multisig_execute', {
    query_id: 'bigint',
    order_seqno: 'bigint',
    expiration_date: 'number',
    approvals_num: 'number',
    signers_hash: 'hash',
    order: 'cell',
  }),
} as const

/**
 * `query_id:64 threshold:8 signers expiration:48 ^order approve_on_init:1 ...`; the dictionary of signers
 * stands with or without its bit.
 */
function loadOrderInit(body: Slice): { readonly approve_on_init: boolean } {
  body.skip(64 + 8)
  if (body.remainingBits % 2 === 0) body.skip(1)
  return { approve_on_init: body.skip(48).loadBit() }
}

/** Vesting wallet. Source: ton-blockchain/vesting-contract, contracts/vesting_wallet.fc. */
export const VESTING_BODIES = {
  send: bodyFields('vesting_send_message', { query_id: 'bigint', message: 'cell' }),
  addWhitelist: bodyFields('vesting_add_white_list', {
    query_id: 'bigint',
    addresses_ref_snake: loadSnakeList,
  }),
} as const

/** An address in each cell of a chain. */
function loadSnakeList(first: Slice): (string | null)[] {
  const addresses = [loadAddressText(first)]
  for (let cell = first; cell.remainingRefs > 0; ) {
    cell = cell.loadRefSlice()
    addresses.push(loadAddressText(cell))
  }
  return addresses
}

/** Plug-ins of wallet v4. Source: ton-blockchain/wallet-contract, func/simple-subscription-plugin.fc. */
export const SUBSCRIPTION_BODIES = {
  paymentRequest: bodyFields('payment_request', { amount: 'amount' }),
} as const
