import { type ChainEvent, eventText, ownMembers } from './events.ts'
import { type Finality, rankOf } from './finality.ts'
import type { Candidate, Change, Notification, OperationRequest, Protocol } from './protocol.ts'
import { Refused } from './refusal.ts'
import { RequestBody } from './request-body.ts'
import { checkLimits, readAddress, readSubscription, readTraceHash, without } from './subscription.ts'

/** Version 2: one subscription of types and accounts, events with their finality. */
export const V2: Protocol = {
  version: 'v2',
  resumes: true,
  readSubscription,
  wrongFrame: 'invalid request envelope',
  operations: new Map([
    ['subscribe', subscribe],
    ['unsubscribe', unsubscribe],
  ]),
  notificationsOf: (event) => [notificationOf(event)],
  wanted,
  textOf({ event }, body, described) {
    return eventText([
      ['type', `"${event.kind}"`],
      ['finality', `"${event.finality}"`],
      'key' in event ? ['trace_external_hash_norm', `"${event.key}"`] : undefined,
      ...ownMembers(event, body),
      ...described,
      event.after === undefined ? undefined : ['resume_from', String(event.after)],
    ])
  },
}

function subscribe({ frame, limits, actionsVersion }: OperationRequest): Change {
  const subscription = readSubscription(frame, { wire: 'ws', actionsVersion })
  checkLimits(subscription, limits, 'ws')
  return { status: 'subscribed', subscription }
}

function unsubscribe({ frame, before }: OperationRequest): Change {
  const body = new RequestBody(frame, 'invalid unsubscribe request')
  const addresses = (body.list('addresses') ?? []).map(readAddress)
  const traces = (body.list('trace_external_hash_norms') ?? []).map(readTraceHash)
  if (addresses.length + traces.length === 0)
    throw new Refused('addresses or trace_external_hash_norms are required')
  const subscription = {
    ...before,
    addresses: without(before.addresses, addresses),
    traces: without(before.traces, traces),
    resumeFrom: undefined,
  }
  return { status: 'unsubscribed', subscription }
}

const notificationOf = (event: ChainEvent): Notification => ({
  type: event.kind,
  event,
  finality: 'key' in event ? event.finality : undefined,
  snapshotOf: subjectOf(event),
})

const subjectOf = (event: ChainEvent): string =>
  event.kind === 'account_state_change'
    ? `state ${event.account}`
    : event.kind === 'jettons_change'
      ? `jetton ${event.wallet}`
      : `${event.kind} ${event.key}`

function wanted({ notification: { event }, subscription, accounts, confirms }: Candidate) {
  const { types, minFinality } = subscription
  if (event.kind === 'transactions' && event.isPart && getsRest(minFinality, confirms)) return undefined
  return types.has(event.kind) && rankOf(event.finality) >= rankOf(minFinality) ? accounts : undefined
}

/** Whether subscribers of this finality get a trace as a whole, before all of it is final. */
const getsRest = (minFinality: Finality, confirms: boolean): boolean =>
  minFinality === 'pending' || (minFinality === 'confirmed' && confirms)
