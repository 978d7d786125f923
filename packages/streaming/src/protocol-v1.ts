import { type ChainEvent, eventText, ownMembers } from './events.ts'
import type { Finality } from './finality.ts'
import type { Candidate, Change, Notification, OperationRequest, Protocol } from './protocol.ts'
import { Refused } from './refusal.ts'
import { isListOfTexts, RequestBody } from './request-body.ts'
import { readAddress, type SubscriptionLimits } from './subscription.ts'
import {
  emptyV1Subscription,
  merged,
  optionsOf,
  readTypesByAddress,
  readV1Subscription,
  type TypesByAddress,
  type V1Type,
  withTypes,
} from './subscription-v1.ts'

/**
 * Version 1, which TON Center has replaced: types for each account, and types of their own, not a finality,
 * for what is not final.
 */
export const V1: Protocol = {
  version: 'v1',
  resumes: false,
  readSubscription: readV1Subscription,
  wrongFrame: 'invalid subscription request',
  operations: new Map([
    ['subscribe', subscribe],
    ['set_subscription', setSubscription],
    ['configure', configure],
    ['unsubscribe', unsubscribe],
  ]),
  notificationsOf,
  wanted,
  textOf: ({ type, event }, body, described) =>
    eventText([
      ['type', `"${type}"`],
      'key' in event ? ['trace_external_hash_norm', `"${event.key}"`] : undefined,
      ...ownMembers(event, body),
      ...described,
    ]),
}

/** Adds types to accounts. */
function subscribe(request: OperationRequest): Change {
  const body = new RequestBody(request.frame, 'invalid subscribe request')
  const before = presentOf(request)
  const added = readTypesByAddress(body.list('addresses') ?? [], body.list('types') ?? [])
  const byAddress = merged(before.byAddress!, added)
  checkLimit(before.addresses.size, byAddress, request.limits)
  return { status: 'subscribed', subscription: withTypes(before, byAddress) }
}

/** Replaces accounts and types; options stay. */
function setSubscription(request: OperationRequest): Change {
  const body = new RequestBody(request.frame, 'invalid set_subscription')
  const given = body.member('subscriptions') ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) throw body.wrong('subscriptions must be an object')
  // Spellings of one address may differ.
  const byAddress = merged(
    new Map(),
    Object.entries(given).flatMap(([address, types]) => {
      if (!isListOfTexts(types)) throw body.wrong('types of an address must be a list of texts')
      return [...readTypesByAddress([address], types)]
    }),
  )
  checkLimit(0, byAddress, request.limits)
  return { status: 'subscription_set', subscription: withTypes(presentOf(request), byAddress) }
}

function configure(request: OperationRequest): Change {
  const body = new RequestBody(request.frame, 'invalid configure request')
  return { status: 'configured', subscription: optionsOf(body, presentOf(request), request.actionsVersion) }
}

function unsubscribe(request: OperationRequest): Change {
  const body = new RequestBody(request.frame, 'invalid unsubscribe request')
  const addresses = body.list('addresses') ?? []
  if (addresses.length === 0) throw new Refused('addresses are required')
  const before = presentOf(request)
  const byAddress = new Map(before.byAddress)
  for (const address of addresses.map(readAddress)) byAddress.delete(address)
  return { status: 'unsubscribed', subscription: withTypes(before, byAddress) }
}

const presentOf = ({ before, actionsVersion }: OperationRequest) =>
  before.byAddress ? before : emptyV1Subscription(actionsVersion)

function checkLimit(
  current: number,
  { size }: TypesByAddress,
  { addresses: most }: SubscriptionLimits,
): void {
  if (size > most)
    throw new Refused(`address limit exceeded: current ${current} + new ${size - current} > max ${most}`)
}

/** Types without `pending` are of what is final; what is only confirmed counts as pending. */
function notificationsOf(event: ChainEvent): readonly Notification[] {
  switch (event.kind) {
    case 'transactions':
      return event.finality === 'finalized'
        ? committed(event)
        : [snapshot('pending_transactions', event, event.finality)]
    case 'actions': {
      const { least = event.finality } = event
      const pending = snapshot('pending_actions', event, least)
      return least === 'finalized' ? [pending, snapshot('actions', event, least)] : [pending]
    }
    case 'trace':
      return []
    case 'account_state_change':
      return event.finality === 'finalized' ? [latest(event.kind, event, event.account)] : []
    case 'jettons_change':
      return event.finality === 'finalized' ? [latest(event.kind, event, event.wallet)] : []
  }
}

/** Those of the block alone. They replace nothing: no later event repeats them. */
function committed(event: Extract<ChainEvent, { kind: 'transactions' }>): Notification[] {
  const transactions = event.transactions.filter(({ mcBlockSeqno }) => mcBlockSeqno === event.block)
  const finality = event.isPart ? undefined : event.finality
  const own = { ...event, transactions, mayGrow: undefined }
  return [{ type: 'transactions', event: own, finality, snapshotOf: undefined }]
}

const snapshot = (
  type: V1Type,
  event: Extract<ChainEvent, { kind: 'transactions' | 'actions' }>,
  finality: Finality,
): Notification => ({ type, event, finality, snapshotOf: `${type} ${event.key}` })

const latest = (type: V1Type, event: ChainEvent, subject: string): Notification => ({
  type,
  event,
  finality: undefined,
  snapshotOf: `${type} ${subject}`,
})

function wanted({ notification, subscription: { byAddress }, accounts }: Candidate) {
  const own = accounts.filter((account) => byAddress?.get(account)?.has(notification.type))
  return own.length > 0 ? own : undefined
}
