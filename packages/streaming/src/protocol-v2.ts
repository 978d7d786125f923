import { eventText, type News, ownMembers } from './events.ts'
import { type Finality, rankOf } from './finality.ts'
import type { Candidate, Change, OperationRequest, Protocol, ToldEvent } from './protocol.ts'
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
  eventsOf: (news) => [eventOf(news)],
  wanted,
  textOf({ news }, body, described) {
    return eventText([
      ['type', `"${news.kind}"`],
      ['finality', `"${news.finality}"`],
      'key' in news ? ['trace_external_hash_norm', `"${news.key}"`] : undefined,
      ...ownMembers(news, body),
      ...described,
      news.after === undefined ? undefined : ['resume_from', String(news.after)],
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

const eventOf = (news: News): ToldEvent => ({
  type: news.kind,
  news,
  finality: 'key' in news ? news.finality : undefined,
  snapshotOf: subjectOf(news),
})

const subjectOf = (news: News): string =>
  news.kind === 'account_state_change'
    ? `state ${news.account}`
    : news.kind === 'jettons_change'
      ? `jetton ${news.wallet}`
      : `${news.kind} ${news.key}`

function wanted({ event: { news }, subscription, accounts, confirms }: Candidate) {
  const { types, minFinality } = subscription
  if (news.kind === 'transactions' && news.isPart && hearsOfRest(minFinality, confirms)) return undefined
  return types.has(news.kind) && rankOf(news.finality) >= rankOf(minFinality) ? accounts : undefined
}

/** Whether who wants this is told of a trace as a whole, before all of it is final. */
const hearsOfRest = (minFinality: Finality, confirms: boolean): boolean =>
  minFinality === 'pending' || (minFinality === 'confirmed' && confirms)
