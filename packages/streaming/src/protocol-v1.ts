import { eventText, type News, ownMembers } from './events.ts'
import type { Finality } from './finality.ts'
import type { Candidate, Change, OperationRequest, Protocol, ToldEvent } from './protocol.ts'
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
  eventsOf,
  wanted,
  textOf: ({ type, news }, body, described) =>
    eventText([
      ['type', `"${type}"`],
      'key' in news ? ['trace_external_hash_norm', `"${news.key}"`] : undefined,
      ...ownMembers(news, body),
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

/** Types without `pending` tell what is final; what is only confirmed counts as pending. */
function eventsOf(news: News): readonly ToldEvent[] {
  switch (news.kind) {
    case 'transactions':
      return news.finality === 'finalized'
        ? committed(news)
        : [snapshot('pending_transactions', news, news.finality)]
    case 'actions': {
      const { least = news.finality } = news
      const pending = snapshot('pending_actions', news, least)
      return least === 'finalized' ? [pending, snapshot('actions', news, least)] : [pending]
    }
    case 'trace':
      return []
    case 'account_state_change':
      return news.finality === 'finalized' ? [latest(news.kind, news, news.account)] : []
    case 'jettons_change':
      return news.finality === 'finalized' ? [latest(news.kind, news, news.wallet)] : []
  }
}

/** Those of the block alone. They replace nothing: no later event repeats them. */
function committed(news: Extract<News, { kind: 'transactions' }>): ToldEvent[] {
  const transactions = news.transactions.filter(({ mcBlockSeqno }) => mcBlockSeqno === news.block)
  const finality = news.isPart ? undefined : news.finality
  return [{ type: 'transactions', news: { ...news, transactions }, finality, snapshotOf: undefined }]
}

const snapshot = (
  type: V1Type,
  news: Extract<News, { kind: 'transactions' | 'actions' }>,
  finality: Finality,
): ToldEvent => ({ type, news, finality, snapshotOf: `${type} ${news.key}` })

const latest = (type: V1Type, news: News, subject: string): ToldEvent => ({
  ...{ type, news, finality: undefined },
  snapshotOf: `${type} ${subject}`,
})

function wanted({ event, subscription: { byAddress }, accounts }: Candidate) {
  const own = accounts.filter((account) => byAddress?.get(account)?.has(event.type))
  return own.length > 0 ? own : undefined
}
