import { describe, expect, test } from 'vitest'
import { A, B, C, KEY, openHub, transactions } from '../test/open-hub.ts'
import type { ActionsEvent, ChainEvent } from './events.ts'
import { V1 } from './protocol-v1.ts'
import { V2 } from './protocol-v2.ts'
import { Session } from './session.ts'
import { checkLimits } from './subscription.ts'

const limits = { addresses: 2, traces: 0 }
const fails = (body: unknown): string => {
  try {
    checkLimits(V1.readSubscription(body, { wire: 'sse' }), limits, 'sse')
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

const WITH = { addresses: [A], types: ['actions'] }
const REFUSALS: readonly (readonly [body: unknown, error: string])[] = [
  [[], 'invalid subscription request: body must be a JSON object'],
  [{ ...WITH, types: 'actions' }, 'invalid subscription request: types must be a list of texts'],
  [{ types: ['actions'] }, 'addresses are required for subscribe operation'],
  [{ addresses: [A] }, 'types are required for subscribe operation'],
  [{ ...WITH, addresses: ['EQ'] }, 'invalid address: EQ'],
  [{ ...WITH, types: ['trace'] }, 'invalid event type: trace'],
  [{ ...WITH, types: ['toString'] }, 'invalid event type: toString'],
  [{ ...WITH, addresses: [A, B, C] }, 'too many addresses: 3 > max 2'],
  [{ ...WITH, operation: 'any', min_finality: 'X', resume_from: -1, addresses: [A, A] }, 'accepted'],
]

test.each(REFUSALS)('a stream that asks %j: %s', (body, error) => {
  expect(fails(body)).toBe(error)
})

describe('a WebSocket', () => {
  function open(most = limits) {
    const { hub, connect } = openHub(undefined, V1)
    const one = connect()
    const options = { subscribers: hub.subscribers, limits: most, now: () => 0, resume: () => {} }
    const session = new Session(one.subscriber, options)
    const send = (frame: unknown) => {
      session.receive(typeof frame === 'string' ? frame : JSON.stringify(frame))
      return one.got.at(-1)
    }
    const typesOf = () =>
      Object.fromEntries(
        [...one.subscriber.subscription.byAddress!].map(([address, types]) => [address, [...types]]),
      )
    return { ...one, hub, send, typesOf }
  }

  test('adds types to addresses, and replaces all of them when it is asked to', () => {
    const { send, typesOf, subscriber } = open()
    const first = { operation: 'subscribe', id: 's', addresses: [A], types: ['transactions'] }
    expect(send(first)).toEqual({ status: 'subscribed', id: 's' })
    expect(subscriber.subscription.minFinality).toBe('finalized')
    send({ operation: 'subscribe', addresses: [B, A.toLowerCase()], types: ['pending_actions'] })
    expect(typesOf()).toEqual({ [A]: ['pending_actions', 'transactions'], [B]: ['pending_actions'] })
    expect(subscriber.subscription).toMatchObject({
      ...{ minFinality: 'pending', types: new Set(['actions', 'transactions']) },
    })
    const subscriptions = { [B]: ['jettons_change'], [B.toLowerCase()]: ['actions'], [C]: [] }
    expect(send({ operation: 'set_subscription', subscriptions })).toEqual({ status: 'subscription_set' })
    expect(typesOf()).toEqual({ [B]: ['actions', 'jettons_change'] })
    expect(send({ operation: 'unsubscribe', addresses: [A, B] })).toEqual({ status: 'unsubscribed' })
    expect([typesOf(), subscriber.subscription.types.size]).toEqual([{}, 0])
    send(first)
    expect(send({ operation: 'set_subscription' })).toEqual({ status: 'subscription_set' })
    expect(typesOf()).toEqual({})
  })

  test('changes the options that it names, of which an empty list of types is no filter', () => {
    const { send, subscriber } = open()
    send({ operation: 'configure', include_address_book: true, action_types: ['jetton_swap'] })
    send({ operation: 'subscribe', addresses: [A], types: ['actions'] })
    expect(send({ operation: 'configure', include_metadata: true, action_types: null })).toEqual({
      status: 'configured',
    })
    expect(subscriber.subscription).toMatchObject({
      ...{ addressBook: true, metadata: true, actionTypes: new Set(['jetton_swap']) },
      addresses: new Set([A]),
    })
    const { supportedTypes } = subscriber.subscription
    expect(supportedTypes.has('jetton_transfer')).toBe(true)
    send({ operation: 'configure', action_types: [], supported_action_types: ['v1'] })
    expect(subscriber.subscription.actionTypes).toBeUndefined()
    expect(subscriber.subscription.supportedTypes.size).toBeLessThan(supportedTypes.size)
  })

  test('has as many addresses as the plan allows, however they are added', () => {
    const { send, typesOf } = open()
    const added = (...addresses: string[]) => send({ operation: 'subscribe', addresses, types: ['actions'] })
    added(A, B)
    expect(added(A, B)).toEqual({ status: 'subscribed' })
    const error = 'address limit exceeded: current 2 + new 1 > max 2'
    expect(added(B, C)).toEqual({ error })
    const all = Object.fromEntries([A, B, C].map((address) => [address, ['actions']]))
    expect(send({ operation: 'set_subscription', subscriptions: all })).toEqual({
      error: 'address limit exceeded: current 0 + new 3 > max 2',
    })
    expect(Object.keys(typesOf())).toEqual([A, B])
  })

  test.each([
    ['{', /^invalid subscription request: /],
    [{ operation: 'ping', id: 5 }, 'invalid subscription request: id must be a text'],
    [{ operation: 'trace' }, 'unknown operation: trace'],
    [{ operation: 'subscribe', types: 5 }, 'invalid subscribe request: types must be a list of texts'],
    [{ operation: 'subscribe', addresses: ['x'], types: ['y'] }, 'invalid address: x'],
    [{ operation: 'subscribe', addresses: [A], types: ['trace'] }, 'invalid event type: trace'],
    [{ operation: 'unsubscribe' }, 'addresses are required'],
    [{ operation: 'configure', include_metadata: 1 }, /^invalid configure request: include_metadata /],
    [{ operation: 'set_subscription', subscriptions: [] }, /^invalid set_subscription: subscriptions /],
    [{ operation: 'set_subscription', subscriptions: { [A]: {} } }, /^invalid set_subscription: types /],
    ['{"operation":"set_subscription","subscriptions":{"__proto__":[]}}', 'invalid address: __proto__'],
  ])('gets the reason why %j is refused, and keeps what it has', (frame, error) => {
    const { send, subscriber } = open()
    send({ operation: 'subscribe', addresses: [A], types: ['actions'] })
    const { subscription } = subscriber
    expect(send(frame)).toEqual({
      error: typeof error === 'string' ? error : expect.stringMatching(error),
    })
    expect(subscriber.subscription).toBe(subscription)
    expect(send({ operation: 'ping', id: 'p' })).toEqual({ status: 'pong', id: 'p' })
  })

  test('may replace ten thousand addresses at once', () => {
    const { send, hub, subscriber } = open({ addresses: 10_000, traces: 0 })
    const many = Array.from({ length: 10_000 }, (_, n) => `0:${String(n).padStart(64, '0')}`)
    const subscriptions = Object.fromEntries(many.map((address) => [address, ['actions']]))
    expect(send({ operation: 'set_subscription', subscriptions })).toEqual({ status: 'subscription_set' })
    expect(hub.subscribers.addresses).toBe(10_000)
    // Equal types are one set, so an address costs little.
    expect(new Set(subscriber.subscription.byAddress!.values()).size).toBe(1)
    hub.subscribers.remove(subscriber)
    expect([hub.subscribers.addresses, hub.subscribers.wants('actions')]).toEqual([0, false])
  })
})

const action = (account: string) => ({
  ...{ type: 'ton_transfer', ancestorTypes: [], accounts: [account], listed: [account] },
  reply: `{"of":"${account}"}`,
})
const actions = (finality: ActionsEvent['finality'], least?: ActionsEvent['least']): ActionsEvent => ({
  ...{ kind: 'actions', finality, least, key: KEY, after: 5, actions: [action(A), action(B)] },
})
/** Transactions that block 7 brings: the last was committed by it. */
const committed = (isPart: boolean): ChainEvent => {
  const event = transactions('finalized', [A, B, B])
  const seqnos = [6, 6, 7]
  return {
    ...{ ...event, isPart, block: 7, after: 7 },
    transactions: event.transactions.map((one, i) => ({ ...one, lt: BigInt(i), mcBlockSeqno: seqnos[i] })),
  }
}
const typesOf = ({ got }: { readonly got: readonly Record<string, unknown>[] }) =>
  got.map(({ type }) => type as string)

describe('an event', () => {
  test('is sent for the accounts that have its type, without finality or a place to go on from', async () => {
    const { hub, connect } = openHub(undefined, V1)
    const one = connect({ addresses: [A], types: ['pending_actions'], include_address_book: true })
    const other = connect({ addresses: [A, B], types: ['actions'] })
    await hub.publish(actions('pending'))
    await hub.publish(actions('finalized'))
    const ofTrace = { trace_external_hash_norm: KEY, actions: [{ of: A }] }
    const pending = { type: 'pending_actions', ...ofTrace, address_book: { [A]: {} } }
    expect(one.got).toEqual([pending, pending])
    expect(other.got).toEqual([
      { type: 'actions', trace_external_hash_norm: KEY, actions: [{ of: A }, { of: B }] },
    ])
    expect([...one.frames, ...other.frames].map(({ after }) => after)).toEqual([
      ...[undefined, undefined, undefined],
    ])
  })

  test('of actions is pending until all of the trace is final, then it is both', async () => {
    const { hub, connect } = openHub(undefined, V1)
    const one = connect({ addresses: [A], types: ['pending_actions', 'actions'] })
    await hub.publish(actions('confirmed'))
    await hub.publish(actions('finalized', 'pending'))
    expect(typesOf(one)).toEqual(['pending_actions'])
    hub.invalidate(KEY)
    await hub.publish(actions('finalized', 'pending'))
    await hub.publish(actions('finalized'))
    expect(typesOf(one).slice(1)).toEqual([
      ...['trace_invalidated', 'pending_actions', 'pending_actions', 'actions'],
    ])
  })

  test('of transactions has those of the block alone, or all when they are pending', async () => {
    const { hub, connect } = openHub(undefined, V1)
    const types = ['pending_transactions', 'transactions']
    const [both, other] = [connect({ addresses: [A, B], types }), connect({ addresses: [A], types })]
    await hub.publish(transactions('pending', [A, B, B]))
    await hub.publish(committed(true))
    await hub.publish(transactions('pending', [A, B, B]))
    expect(typesOf(both)).toEqual(['pending_transactions', 'transactions', 'pending_transactions'])
    expect(both.got.map((event) => (event['transactions'] as unknown[]).length)).toEqual([3, 1, 3])
    expect(typesOf(other)).toEqual(['pending_transactions', 'pending_transactions'])
  })

  test('that was pending is taken back, unless all of it has happened', async () => {
    const { hub, connect } = openHub(undefined, V1)
    const types = ['pending_transactions', 'transactions']
    const [pending, final] = [
      connect({ addresses: [B], types }),
      connect({ addresses: [B], types: ['transactions'] }),
    ]
    await hub.publish(transactions('pending', [B]))
    await hub.publish(committed(true))
    hub.invalidate(KEY)
    expect(typesOf(pending)).toEqual(['pending_transactions', 'transactions', 'trace_invalidated'])
    await hub.publish(transactions('pending', [B]))
    await hub.publish(committed(false))
    await hub.publish(transactions('pending', [B]))
    hub.invalidate(KEY)
    expect(typesOf(pending).slice(3)).toEqual(['pending_transactions', 'transactions'])
    expect(typesOf(final)).toEqual(['transactions', 'transactions'])
  })

  test('of a state or a balance is sent when it is final', async () => {
    const { hub, connect } = openHub(undefined, V1)
    const types = ['account_state_change', 'jettons_change', 'pending_actions']
    const one = connect({ addresses: [A], types })
    for (const finality of ['confirmed', 'finalized'] as const) {
      await hub.publish({ kind: 'account_state_change', finality, account: A, state: '{}' })
      const wallet = { wallet: B, owner: A, master: C, jetton: '{}' }
      await hub.publish({ kind: 'jettons_change', finality, ...wallet })
    }
    expect(one.got).toEqual([
      { type: 'account_state_change', account: A, state: {} },
      { type: 'jettons_change', jetton: {} },
    ])
  })

  test('that waits is replaced by a newer one, but not one of committed transactions', async () => {
    const { hub, connect } = openHub(undefined, V1)
    const types = ['pending_transactions', 'transactions']
    const slow = connect({ addresses: [B], types })
    slow.transport.isReady = false
    await hub.publish(transactions('pending', [B]))
    for (let i = 0; i < 5; i++) await hub.publish(transactions('pending', [B]))
    expect(slow.closed).toEqual([])
    for (let i = 0; i < 2; i++) await hub.publish(committed(true))
    expect(slow.closed).toEqual([])
    await hub.publish(committed(true))
    expect(slow.closed).toEqual([1013])
  })

  test('is sent beside that of version 2, each in its words, and a trace to version 2 alone', async () => {
    const { hub, connect } = openHub()
    const [one, two] = [V1, V2].map((protocol) =>
      connect({ addresses: [A], types: ['actions'], resume_from: 1 }, protocol),
    ) as [ReturnType<typeof connect>, ReturnType<typeof connect>]
    const whole = connect({ types: ['trace'], trace_external_hash_norms: [KEY] })
    await hub.publish(actions('finalized'))
    const event = { finality: 'finalized', key: KEY, trace: '{}', transactions: '{}', listed: [] } as const
    await hub.publish({ kind: 'trace', ...event, actions: [] })
    const published = { type: 'actions', trace_external_hash_norm: KEY, actions: [{ of: A }] }
    expect(one.got).toEqual([published])
    expect(two.got).toEqual([{ ...published, finality: 'finalized', resume_from: 5 }])
    expect(typesOf(whole)).toEqual(['trace'])
  })
})
