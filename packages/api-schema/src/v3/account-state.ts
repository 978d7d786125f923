import { interfacesOf, unlistedMethodIds, walletState } from '@shardwalk/contracts'
import { ACCOUNT_STATUS } from '@shardwalk/model'
import type * as z from 'zod'
import type { AccountStateFullReply, TopAccountReply, WalletStateReply } from './contract-replies.ts'
import type { AccountStateView, TopAccountView } from './contract-rows.ts'
import { type AddressOf, hashText } from './contract-text.ts'
import { bocText } from './message.ts'
import type { Json } from './text.ts'

/** `AccountStateFull` of API v3. */
export function toAccountStateReply(row: AccountStateView, addressOf: AddressOf, isSuspended: boolean): Json {
  const reply: z.input<typeof AccountStateFullReply> = {
    address: addressOf(row.account_id),
    account_state_hash: hashText(row.state_hash),
    balance: String(row.balance),
    extra_currencies: row.extra_currencies === null ? {} : currenciesOf(row),
    status: statusOf(row),
    ...(isSuspended && { suspended: true }),
    ...(row.frozen_hash && { frozen_hash: hashText(row.frozen_hash) }),
    last_transaction_hash: hashText(row.last_trans_hash),
    last_transaction_lt: String(row.lt),
    ...(row.data_hash && { data_hash: hashText(row.data_hash) }),
    ...(row.code_hash && { code_hash: hashText(row.code_hash) }),
    ...(row.data && { data_boc: bocText(row.data) }),
    ...(row.code && { code_boc: bocText(row.code) }),
    contract_methods: methodsOf(row),
    interfaces: row.code_hash ? interfacesOf({ codeHash: row.code_hash, methods: row.methods ?? [] }) : [],
  }
  return JSON.stringify(reply)
}

function methodsOf({ code_hash, methods }: AccountStateView): number[] | null {
  const ids = methods ?? (code_hash && unlistedMethodIds(code_hash))
  return ids ? [...ids] : null
}

/** `WalletState` of API v3. */
export function toWalletStateReply(row: AccountStateView, addressOf: AddressOf, isSuspended: boolean): Json {
  const currencies = currenciesOf(row)
  const wallet = row.code_hash && row.data_hash ? walletState(row.code_hash, row.data) : undefined
  const head: Partial<WalletStateObject> = {
    address: addressOf(row.account_id),
    is_wallet: wallet !== undefined,
    ...(wallet && { wallet_type: wallet.walletType }),
    ...(wallet?.seqno !== undefined && { seqno: wallet.seqno }),
  }
  const tail: Partial<WalletStateObject> = {
    balance: String(row.balance),
    ...(currencies && { extra_currencies: currencies }),
    ...(wallet?.isSignatureAllowed !== undefined && { is_signature_allowed: wallet.isSignatureAllowed }),
    status: statusOf(row),
    ...(isSuspended && { suspended: true }),
    ...(row.code_hash && { code_hash: hashText(row.code_hash) }),
    last_transaction_hash: hashText(row.last_trans_hash),
    last_transaction_lt: String(row.lt),
  }
  // Wallet v5 beta has 80-bit ids, which JSON can represent but `JSON.stringify` cannot print.
  const id = wallet?.walletId === undefined ? '' : `,"wallet_id":${wallet.walletId}`
  return `${JSON.stringify(head).slice(0, -1)}${id},${JSON.stringify(tail).slice(1)}`
}

type WalletStateObject = z.input<typeof WalletStateReply>

/** Null when there are none or only their hash is known. */
const currenciesOf = ({ extra_currencies }: AccountStateView) =>
  typeof extra_currencies === 'string' ? null : extra_currencies

const statusOf = (row: AccountStateView) => ACCOUNT_STATUS[row.status] ?? 'uninit'

/** `AccountBalance` of API v3. */
export const toTopAccountReply = (row: TopAccountView, addressOf: AddressOf): Json =>
  JSON.stringify({
    account: addressOf(row.account_id),
    balance: String(row.balance),
  } satisfies z.input<typeof TopAccountReply>)
