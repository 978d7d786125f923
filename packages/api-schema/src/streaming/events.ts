import * as z from 'zod'
import type { ProfileRules } from '../profiles.ts'
import { JettonWalletReply } from '../v3/contract-replies.ts'
import { AccountStateReply, AddressBookReply, address, hash, int, MetadataReply } from '../v3/replies.ts'
import { TraceNode, traceReplies } from '../v3/trace-replies.ts'

/** In rising order. */
const finality = z.enum(['pending', 'confirmed', 'finalized'])
const resume_from = int
  .optional()
  .meta({ description: 'Finalized events: everything up to this masterchain block was sent before.' })

/** What a subscription may ask for beside an event. */
export const described = { address_book: AddressBookReply.optional(), metadata: MetadataReply.optional() }
const ofTrace = {
  finality,
  trace_external_hash_norm: hash.meta({ description: 'What the trace is known by.' }),
}
const webhookEvent = {
  id: z.string().meta({ description: 'The same in every attempt, and of no other event.' }),
  webhook: int.meta({ description: 'Number of the webhook.' }),
}
const ofAccount = {
  account: address,
  mc_block_seqno: int.meta({ description: 'Masterchain block of what happened.' }),
  finality: z.literal('finalized'),
}

/** A trace that was sent as pending or confirmed will not become final. */
export const Invalidated = z
  .strictObject({ type: z.literal('trace_invalidated'), trace_external_hash_norm: hash })
  .meta({
    id: 'TraceInvalidatedEvent',
    description: 'What was sent of the trace, and was not final, is void.',
  })

const StateChange = z
  .strictObject({
    type: z.literal('account_state_change'),
    finality,
    account: address,
    state: AccountStateReply,
    resume_from,
  })
  .meta({ id: 'AccountStateChangeEvent', description: 'The state of an account after a block.' })

const JettonsChange = z
  .strictObject({
    type: z.literal('jettons_change'),
    finality,
    jetton: JettonWalletReply,
    ...described,
    resume_from,
  })
  .meta({ id: 'JettonsChangeEvent', description: 'A jetton wallet of the account, or the account itself.' })

/** Schemas of the events of streams and webhooks; see `v3Replies`. */
export function eventSchemas(rules: ProfileRules) {
  const { Action, Transaction } = traceReplies(rules)
  return { stream: streamEvents(Action, Transaction), webhook: webhookEvents(Action, Transaction) }
}

type TraceReplies = ReturnType<typeof traceReplies>

function streamEvents(Action: TraceReplies['Action'], Transaction: TraceReplies['Transaction']) {
  const transactions = z.array(Transaction)
  const actions = z.array(Action)
  return {
    transactions: z
      .strictObject({ type: z.literal('transactions'), ...ofTrace, transactions, ...described, resume_from })
      .meta({ id: 'TransactionsEvent', description: "The subscribed accounts' transactions of a trace." }),
    actions: z
      .strictObject({ type: z.literal('actions'), ...ofTrace, actions, ...described, resume_from })
      .meta({ id: 'ActionsEvent', description: "The subscribed accounts' actions of a trace." }),
    trace: z
      .strictObject({
        type: z.literal('trace'),
        ...ofTrace,
        trace: TraceNode,
        transactions: z.record(hash, Transaction),
        actions: actions.optional(),
        ...described,
        resume_from,
      })
      .meta({ id: 'TraceEvent', description: 'A whole trace.' }),
    account_state_change: StateChange,
    jettons_change: JettonsChange,
    trace_invalidated: Invalidated,
  }
}

function webhookEvents(Action: TraceReplies['Action'], Transaction: TraceReplies['Transaction']) {
  const transactions = z.array(Transaction)
  const actions = z.array(Action)
  return {
    transactions: z
      .strictObject({ ...webhookEvent, type: z.literal('transactions'), ...ofAccount, transactions })
      .meta({ id: 'WebhookTransactionsEvent', description: "An account's transactions of a block." }),
    account_state_change: z
      .strictObject({
        ...webhookEvent,
        type: z.literal('account_state_change'),
        ...ofAccount,
        state: AccountStateReply,
      })
      .meta({ id: 'WebhookAccountStateChangeEvent', description: 'The state of an account after a block.' }),
    actions: z
      .strictObject({
        ...webhookEvent,
        type: z.literal('actions'),
        ...ofAccount,
        trace_external_hash_norm: hash,
        actions,
      })
      .meta({ id: 'WebhookActionsEvent', description: "An account's actions of a trace." }),
    jettons_change: z
      .strictObject({
        ...webhookEvent,
        type: z.literal('jettons_change'),
        ...ofAccount,
        jetton: JettonWalletReply,
      })
      .meta({ id: 'WebhookJettonsChangeEvent', description: 'A jetton wallet of the account.' }),
    test: z
      .strictObject({ ...webhookEvent, type: z.literal('test') })
      .meta({ id: 'WebhookTestEvent', description: 'Sent by `shardwalk webhooks test`.' }),
  }
}
