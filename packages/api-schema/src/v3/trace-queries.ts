import { z } from 'zod'
import { listOf, optional, repeated } from '../parameters.ts'
import { addressKind, booleanKind, hashKind, seqnoKind, type ValueKind } from '../value-kinds.ts'
import { storedTextKind } from './account-queries.ts'
import { page, sorted, window } from './queries.ts'

const MAX_LIST = 1000

/** Literal name of a type of action. */
const actionTypeKind: ValueKind<string> = {
  noun: 'a type of action',
  accepts: 'letters, digits, "_" and "."',
  parse: (text) =>
    /^[A-Za-z0-9_.]+$/.test(text) ? { value: text } : { problem: 'contains invalid characters' },
  schema: { type: 'string', examples: ['jetton_swap'] },
}

/** Type or alias; what nobody knows matches nothing. */
const supportedTypeKind: ValueKind<string> = {
  ...storedTextKind,
  noun: 'a type or a shortcut',
  schema: actionTypeKind.schema,
}

const supported = repeated(
  supportedTypeKind,
  MAX_LIST,
  'Types of action that the client understands: names, or shortcuts such as `v1`, `v4`, `latest` (default), `nft`, `dns`. The types of `v1` always count. The header `X-Actions-Version` replaces the list.',
)

export const TracesQuery = z
  .object({
    account: optional(addressKind, 'Only traces with a transaction of this account.'),
    trace_id: listOf(hashKind, MAX_LIST, 'Hash of the root transaction.'),
    tx_hash: listOf(hashKind, MAX_LIST, 'Only traces that contain one of these transactions.'),
    msg_hash: listOf(
      hashKind,
      MAX_LIST,
      'Only traces that contain one of these messages, by hash or normalised hash.',
    ),
    mc_seqno: optional(seqnoKind, 'Only traces whose last transaction this masterchain block commits.'),
    ...window('traces that ended', '`end_lt`'),
    include_actions: optional(booleanKind, 'Add the actions of each trace.'),
    supported_action_types: supported,
    ...page,
    ...sorted('Order by `end_lt`; by `end_utime` when a time bound is given.'),
  })
  .superRefine(({ account, trace_id, tx_hash, msg_hash }, ctx) => {
    const given = [account, trace_id, tx_hash, msg_hash].filter((value) => value !== undefined)
    if (given.length > 1)
      ctx.addIssue({
        code: 'custom',
        message: 'only one of account, trace_id, tx_hash, msg_hash should be specified',
      })
  })

export const ActionsQuery = z.object({
  account: optional(addressKind, 'Only actions in which this account takes part.'),
  tx_hash: listOf(hashKind, MAX_LIST, 'Only actions that contain one of these transactions.'),
  msg_hash: listOf(
    hashKind,
    MAX_LIST,
    'Only actions with a transaction that sent or received one of these messages, by hash or normalised hash.',
  ),
  action_id: listOf(hashKind, MAX_LIST, 'Id of the action.'),
  trace_id: listOf(hashKind, MAX_LIST, 'Only actions of these traces.'),
  mc_seqno: optional(
    seqnoKind,
    'Only actions of traces whose last transaction this masterchain block commits.',
  ),
  ...window('actions of traces that ended', 'end lt of the trace'),
  action_type: repeated(
    actionTypeKind,
    MAX_LIST,
    'Only these types, also such that `supported_action_types` does not name.',
  ),
  exclude_action_type: repeated(actionTypeKind, MAX_LIST, 'None of these types.'),
  supported_action_types: supported,
  include_accounts: optional(booleanKind, 'Add the accounts that take part.'),
  include_transactions: optional(booleanKind, 'Add the transactions.'),
  ...page,
  ...sorted('Order by end lt of the trace; by its time when a time bound is given.'),
})

export type TracesQuery = z.output<typeof TracesQuery>
export type ActionsQuery = z.output<typeof ActionsQuery>
