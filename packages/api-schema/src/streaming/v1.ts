import * as z from 'zod'
import type { ProfileRules } from '../profiles.ts'
import { JettonWalletReply } from '../v3/contract-replies.ts'
import { AccountStateReply, address, hash } from '../v3/replies.ts'
import { traceReplies } from '../v3/trace-replies.ts'
import { described, Invalidated } from './events.ts'
import { ANSWER_FRAMES, actionNames, flag, id, REQUEST_FRAMES } from './frames.ts'

const types = z.array(
  z.enum([
    'pending_transactions',
    'pending_actions',
    'transactions',
    'actions',
    'account_state_change',
    'jettons_change',
  ]),
)
const addresses = z.array(z.string())

const options = {
  include_address_book: flag('Whether events have an address book. Default false.'),
  include_metadata: flag('Whether events have metadata of tokens. Default false.'),
  action_types: actionNames('Types of actions. Default: all.'),
  supported_action_types: actionNames(
    'Versions and types of actions that the client knows. Default `latest`.',
  ),
}

/** Body of `POST /api/streaming/v1/sse`. Unknown members are ignored. */
export const V1SubscriptionBody = z
  .object({
    addresses: addresses.min(1).meta({ description: 'Accounts, in any form.' }),
    types: types.min(1).meta({ description: 'Types of events of all these accounts.' }),
    ...options,
    id,
  })
  .meta({ id: 'V1Subscription' })

/** What a client sends on a WebSocket of version 1. Unknown members are ignored. */
export const V1_REQUEST_FRAMES = {
  subscribe: z
    .object({ operation: z.literal('subscribe'), addresses, types, id })
    .meta({ id: 'V1SubscribeFrame', description: 'Adds the types to the accounts.' }),
  set_subscription: z
    .object({
      operation: z.literal('set_subscription'),
      subscriptions: z.record(z.string(), types).meta({ description: 'Types by account.' }),
      id,
    })
    .meta({ id: 'V1SetSubscriptionFrame', description: 'Replaces all accounts and types; options stay.' }),
  configure: z
    .object({ operation: z.literal('configure'), ...options, id })
    .meta({ id: 'V1ConfigureFrame', description: 'Changes the options that it names.' }),
  unsubscribe: z
    .object({ operation: z.literal('unsubscribe'), addresses: addresses.min(1), id })
    .meta({ id: 'V1UnsubscribeFrame', description: 'Removes accounts with all of their types.' }),
  ping: REQUEST_FRAMES.ping,
}

/** Answers to the frames of version 1. */
export const V1_ANSWER_FRAMES = {
  status: z
    .strictObject({
      status: z.enum(['subscribed', 'subscription_set', 'configured', 'unsubscribed', 'pong']),
      id,
    })
    .meta({ id: 'V1StatusFrame', description: 'A frame was accepted; first frame of server-sent events.' }),
  error: ANSWER_FRAMES.error,
}

/** Schemas of the events of version 1; see `v3Replies`. */
export function v1EventSchemas(rules: ProfileRules) {
  const { Action, Transaction } = traceReplies(rules)
  const ofTrace = { trace_external_hash_norm: hash.meta({ description: 'What the trace is known by.' }) }
  const transactions = z.array(Transaction)
  const actions = z.array(Action)
  return {
    pending_transactions: z
      .strictObject({ type: z.literal('pending_transactions'), ...ofTrace, transactions, ...described })
      .meta({
        id: 'V1PendingTransactionsEvent',
        description: "The accounts' transactions of a trace of which not all are final.",
      }),
    pending_actions: z
      .strictObject({ type: z.literal('pending_actions'), ...ofTrace, actions, ...described })
      .meta({ id: 'V1PendingActionsEvent', description: "The accounts' actions of a trace, final or not." }),
    transactions: z
      .strictObject({ type: z.literal('transactions'), ...ofTrace, transactions, ...described })
      .meta({ id: 'V1TransactionsEvent', description: "The accounts' transactions of a block, by trace." }),
    actions: z
      .strictObject({ type: z.literal('actions'), ...ofTrace, actions, ...described })
      .meta({ id: 'V1ActionsEvent', description: "The accounts' actions of a trace that is final." }),
    account_state_change: z
      .strictObject({ type: z.literal('account_state_change'), account: address, state: AccountStateReply })
      .meta({ id: 'V1AccountStateChangeEvent', description: 'The state of an account after a block.' }),
    jettons_change: z
      .strictObject({ type: z.literal('jettons_change'), jetton: JettonWalletReply, ...described })
      .meta({
        id: 'V1JettonsChangeEvent',
        description: 'A jetton wallet of the account, or the account itself.',
      }),
    trace_invalidated: Invalidated,
  }
}
