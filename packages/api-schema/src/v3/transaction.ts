import { ACCOUNT_STATUS, type RawAddress, statusOfState, type TransactionDescription } from '@shardwalk/model'
import { toDescriptionReply } from './description.ts'
import { type MessageView, type ReplyContext, toMessageReply } from './message.ts'
import type { StateRow, TransactionRow } from './rows.ts'
import {
  base64,
  base64OrNull,
  blockId,
  currenciesAfter,
  decimal,
  extraCurrencies,
  type Json,
  shardOfAccount,
} from './text.ts'

/** A transaction with its messages and the states before and after it. */
export interface TransactionView {
  readonly row: TransactionRow
  readonly account: RawAddress
  readonly inMsg?: MessageView
  /** In index order. */
  readonly outMsgs: readonly MessageView[]
  /** State after the account's previous transaction; undefined if that transaction is not indexed. */
  readonly before?: StateRow
  /** Undefined if it has not happened. */
  readonly traceId?: Buffer
  /** Normalised hash of the external message that started the trace, if known. */
  readonly traceExternalHash?: Buffer
  /** Whether it has not happened. */
  readonly finality?: 'pending' | 'confirmed' | undefined
}

export interface TransactionReplyContext extends ReplyContext {
  unpackDescription(packed: Buffer): TransactionDescription
}

const NONEXIST = ACCOUNT_STATUS.indexOf('nonexist')

/** `Transaction` of API v3. */
export function toTransactionReply(view: TransactionView, context: TransactionReplyContext): Json {
  const { row: t, account } = view
  return (
    `{"account":"${context.addressOf(t.account_id)}"` +
    `,"hash":${base64(t.hash)},"lt":${decimal(t.lt)},"now":${t.now}` +
    `,"mc_block_seqno":${t.mc_block_seqno}` +
    (view.traceId ? `,"trace_id":${base64(view.traceId)}` : '') +
    (view.traceExternalHash ? `,"trace_external_hash":${base64(view.traceExternalHash)}` : '') +
    `,"prev_trans_hash":${base64(t.prev_trans_hash)},"prev_trans_lt":${decimal(t.prev_trans_lt)}` +
    `,"orig_status":"${ACCOUNT_STATUS[t.orig_status]}","end_status":"${ACCOUNT_STATUS[t.end_status]}"` +
    `,"total_fees":${decimal(t.total_fees)}` +
    `,"total_fees_extra_currencies":${extraCurrencies(t.total_fees_extra)}` +
    `,"description":${toDescriptionReply(context.unpackDescription(t.description))}` +
    `,"block_ref":${blockId(account.workchain, shardOfAccount(account, t.shard_len), t.block_seqno)}` +
    `,"in_msg":${view.inMsg ? toMessageReply(view.inMsg, context) : 'null'}` +
    `,"out_msgs":[${view.outMsgs.map((message) => toMessageReply(message, context)).join(',')}]` +
    `,"account_state_before":${accountState(t.state_hash_before, stateBefore(view))}` +
    `,"account_state_after":${accountState(t.state_hash_after, knownState(t.end_status, t))}` +
    `,"emulated":${view.finality === 'pending'},"finality":"${view.finality ?? 'finalized'}"}`
  )
}

/** State after the previous transaction, or that of a nonexistent account. */
function stateBefore({ row, before }: TransactionView): StateRow | undefined {
  return knownState(row.orig_status, before)
}

const NO_ACCOUNT: StateRow = {
  balance_after: 0n,
  code_hash_after: null,
  data_hash_after: null,
  frozen_hash_after: null,
  extra_currencies_after: null,
  end_status: NONEXIST,
}

/** Undefined if only the hash of the state is known. */
function knownState(status: number, state: StateRow | undefined): StateRow | undefined {
  if (status === NONEXIST) return NO_ACCOUNT
  return state && state.balance_after !== null ? state : undefined
}

/** `AccountState` of API v3 without code and data: after a transaction. */
export const toStateAfterReply = (row: StateRow & { readonly state_hash_after: Buffer }): Json =>
  accountState(row.state_hash_after, knownState(row.end_status, row))

/** State of an account inside a transaction. */
function accountState(hash: Buffer, state: StateRow | undefined): Json {
  if (!state)
    return (
      `{"hash":${base64(hash)},"balance":null,"extra_currencies":null,"account_status":null` +
      ',"frozen_hash":null,"data_hash":null,"code_hash":null}'
    )
  return (
    `{"hash":${base64(hash)},"balance":${decimal(state.balance_after ?? 0n)}` +
    `,"extra_currencies":${currenciesAfter(state.extra_currencies_after)}` +
    `,"account_status":"${ACCOUNT_STATUS[statusOfState(state.end_status, state.frozen_hash_after)]}"` +
    `,"frozen_hash":${base64OrNull(state.frozen_hash_after)}` +
    `,"data_hash":${base64OrNull(state.data_hash_after)}` +
    `,"code_hash":${base64OrNull(state.code_hash_after)}}`
  )
}
