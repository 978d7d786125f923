import * as z from 'zod'
import { listOf, optional, repeated, withDefault } from '../parameters.ts'
import { addressKind, booleanKind, hashKind, seqnoKind, type ValueKind } from '../value-kinds.ts'
import { needsOneOf, storedTextKind } from './account-queries.ts'
import { page, REPEATED, sorted, window } from './queries.ts'

const MAX_LIST = 1000

/** Name of an action type. */
const actionTypeKind: ValueKind<string> = {
  noun: 'a type of action',
  accepts: 'letters, digits, "_" and "."',
  parse: (text) =>
    /^[A-Za-z0-9_.]+$/.test(text) ? { value: text } : { problem: 'contains invalid characters' },
  schema: { type: 'string', examples: ['jetton_swap'] },
}

/** Action type or alias; an unknown one matches nothing. */
const supportedTypeKind: ValueKind<string> = {
  ...storedTextKind,
  noun: 'a type or a shortcut',
  schema: actionTypeKind.schema,
}

const supported = repeated(
  supportedTypeKind,
  MAX_LIST,
  'Action types that the client supports: names, or aliases such as `v1`, `v5`, `latest` (default, the ' +
    'same as `v4`), `nft`, `dns`. The types of `v1` are always included. The header `X-Actions-Version` ' +
    'takes precedence.',
)

/** `/traces` and `/events`. Refuses more than one of account, trace, transaction and message. */
export const TracesQuery = z
  .object({
    account: optional(addressKind, 'Only traces with a transaction of this account.'),
    trace_id: listOf(hashKind, MAX_LIST, 'Hashes of root transactions.'),
    tx_hash: listOf(hashKind, MAX_LIST, 'Only traces with one of these transactions.'),
    msg_hash: listOf(
      hashKind,
      MAX_LIST,
      'Only traces with one of these messages, by hash or normalised hash.',
    ),
    mc_seqno: optional(
      seqnoKind,
      'Only traces whose last transaction is committed by this masterchain block.',
    ),
    ...window('traces that ended', '`end_lt`'),
    include_actions: withDefault(booleanKind, false, 'Whether to include the actions of each trace.'),
    supported_action_types: supported,
    ...page,
    ...sorted('Sort order by `end_lt`, or by `end_utime` if a time bound is given.'),
  })
  .superRefine(({ account, trace_id, tx_hash, msg_hash }, ctx) => {
    const given = [account, trace_id, tx_hash, msg_hash].filter((value) => value !== undefined)
    if (given.length > 1)
      ctx.addIssue({
        code: 'custom',
        message: 'only one of account, trace_id, tx_hash, msg_hash should be specified',
      })
  })

/** `/actions`. All filters are optional and narrow the list together. */
export const ActionsQuery = z
  .object({
    account: optional(addressKind, 'Only actions that involve this account.'),
    initiated_by_account: withDefault(
      booleanKind,
      false,
      'Only actions of traces that began with an external message to `account`, which is then required.',
    ),
    tx_hash: listOf(hashKind, MAX_LIST, 'Only actions with one of these transactions.'),
    msg_hash: listOf(
      hashKind,
      MAX_LIST,
      'Only actions with one of these messages, by hash or normalised hash.',
    ),
    action_id: listOf(hashKind, MAX_LIST, 'Ids of actions.'),
    trace_id: listOf(hashKind, MAX_LIST, 'Only actions of these traces.'),
    mc_seqno: optional(
      seqnoKind,
      'Only actions of traces whose last transaction is committed by this masterchain block.',
    ),
    ...window('actions of traces that ended', 'end lt of the trace'),
    action_type: listOf(
      actionTypeKind,
      MAX_LIST,
      'Only these types, even those missing from `supported_action_types`. What replies call ' +
        '`extra_currency_transfer` is `ton_transfer` or `call_contract` here.',
      REPEATED,
    ),
    exclude_action_type: listOf(actionTypeKind, MAX_LIST, 'Omit these types.', REPEATED),
    supported_action_types: supported,
    include_accounts: withDefault(booleanKind, false, 'Whether to include the accounts involved.'),
    include_transactions: withDefault(booleanKind, false, 'Whether to include the transactions.'),
    ...page,
    ...sorted('Sort order by end lt of the trace, or by its end time if a time bound is given.'),
  })
  .superRefine(({ account, initiated_by_account }, ctx) => {
    if (initiated_by_account && account === undefined)
      ctx.addIssue({ code: 'custom', message: 'initiated_by_account requires account' })
  })

/** `/balanceChanges`: of a trace, or of one action of it. */
export const BalanceChangesQuery = z
  .object({
    trace_id: optional(hashKind, 'Hash of the root transaction. With `action_id`, the trace of the action.'),
    action_id: optional(hashKind, 'Only the changes that this action caused.'),
  })
  .superRefine(needsOneOf(['trace_id', 'action_id'], 'trace_id or action_id is required'))

const ext_msg_hash = listOf(
  hashKind,
  MAX_LIST,
  'Hashes of external messages, normalised or not. Without effect beside `account`.',
)
const named = needsOneOf(['account', 'ext_msg_hash'], 'account or ext_msg_hash should be specified')

/** `/pendingTransactions`. Here `trace_id` is the hash of an external message, as at TON Center. */
export const PendingTransactionsQuery = z
  .object({
    account: listOf(addressKind, MAX_LIST, 'Only transactions of these accounts.'),
    trace_id: listOf(hashKind, MAX_LIST, 'Hashes of external messages, normalised or not.'),
  })
  .superRefine(needsOneOf(['account', 'trace_id'], 'at least 1 account address required'))

/** `/pendingTraces`. Requires an account or external messages. */
export const PendingTracesQuery = z
  .object({
    account: optional(addressKind, 'Only traces that concern this account.'),
    ext_msg_hash,
    supported_action_types: supported,
  })
  .superRefine(named)

/** `/pendingActions`. Requires an account or external messages. */
export const PendingActionsQuery = z
  .object({
    account: optional(addressKind, 'Only actions that involve this account.'),
    ext_msg_hash,
    supported_action_types: supported,
    include_transactions: withDefault(booleanKind, false, 'Whether to include the transactions.'),
  })
  .superRefine(named)

export type PendingTransactionsQuery = z.output<typeof PendingTransactionsQuery>
export type PendingTracesQuery = z.output<typeof PendingTracesQuery>
export type PendingActionsQuery = z.output<typeof PendingActionsQuery>
export type TracesQuery = z.output<typeof TracesQuery>
export type ActionsQuery = z.output<typeof ActionsQuery>
export type BalanceChangesQuery = z.output<typeof BalanceChangesQuery>
