import { describe, expect, test } from 'vitest'
import { A, B, C, KEY, openHub, transactions } from '../test/open-hub.ts'
import type { ChainEvent } from './events.ts'
import { V1 } from './protocol-v1.ts'
import { Session } from './session.ts'
import { readSubscription } from './subscription.ts'

describe('an event', () => {
  test('is one frame for all that get the same, and follows changes of subscriptions', async () => {
    let beforeSecond = () => {}
    let turns = 0
    const { hub, connect } = openHub(async () => {
      if (++turns === 2) beforeSecond()
    })
    const wanted = { types: ['transactions'], addresses: [A] }
    const all = Array.from({ length: 4 }, () => connect(wanted))
    const [first, , gone, wider] = all
    const change = (one: typeof first, addresses: readonly string[]) =>
      hub.subscribers.change(one!.subscriber, readSubscription({ ...wanted, addresses }, { wire: 'ws' }))
    beforeSecond = () => {
      change(gone, [C])
      change(wider, [A, B])
    }
    await hub.publish(transactions('finalized', [B, A]))
    expect(all.map(({ got }) => (got[0]?.['transactions'] as unknown[] | undefined)?.length)).toEqual([
      ...[1, 1, undefined, 2],
    ])
    expect(all.map(({ got }) => got.length)).toEqual([1, 1, 0, 1])
    expect(all[1]!.frames[0]).toBe(first!.frames[0])
  })

  test('has only the transactions of the connection, and the accounts that belong to them', async () => {
    const { hub, connect } = openHub()
    const one = connect({
      ...{ types: ['transactions'], addresses: [A], include_address_book: true, include_metadata: true },
    })
    const two = connect({ types: ['transactions'], addresses: [A, B] })
    const other = connect({ types: ['actions'], addresses: [A] })
    await hub.publish(transactions('finalized', [B, A]))
    expect(one.got).toEqual([
      {
        ...{ type: 'transactions', finality: 'finalized', trace_external_hash_norm: KEY },
        transactions: [{ account: A }],
        address_book: { [A]: {}, [C]: {} },
        metadata: { [C]: { is_indexed: true } },
      },
    ])
    expect(two.got).toMatchObject([{ transactions: [{ account: B }, { account: A }] }])
    expect(two.got[0]).not.toHaveProperty('address_book')
    expect(other.got).toEqual([])
  })

  test('of actions passes the filters of types, and is left out when nothing remains', async () => {
    const { hub, connect } = openHub()
    const part = (type: string, ancestorTypes: string[], accounts: string[]) => ({
      ...{ type, ancestorTypes, accounts, listed: accounts },
      reply: `{"type":"${type}"}`,
    })
    const actions = [
      part('jetton_swap', [], [A]),
      part('jetton_transfer', ['jetton_swap'], [A]),
      part('ton_transfer', [], [B]),
    ]
    const all = connect({ types: ['actions'], addresses: [A] })
    const transfers = connect({ types: ['actions'], addresses: [A], action_types: ['jetton_transfer'] })
    const trace = connect({
      ...{ types: ['trace'], trace_external_hash_norms: [KEY], action_types: ['nft_transfer'] },
    })
    const whole = connect({ types: ['trace'], trace_external_hash_norms: [KEY] })
    await hub.publish({ kind: 'actions', finality: 'finalized', key: KEY, actions })
    expect(all.got).toMatchObject([{ actions: [{ type: 'jetton_swap' }] }])
    expect(transfers.got).toEqual([])
    const event = { finality: 'finalized', key: KEY, trace: '{}', transactions: '{}', listed: [] } as const
    await hub.publish({ kind: 'trace', ...event, actions })
    expect(trace.got).toHaveLength(1)
    expect(trace.got[0]).not.toHaveProperty('actions')
    expect(whole.got[0]!['actions']).toHaveLength(2)
  })

  test('names the request that an action follows from only to those who know the type of that', async () => {
    const { hub, connect } = openHub()
    const part = { type: 'ton_transfer', ancestorTypes: [], accounts: [A], listed: [A] }
    const actions = [{ ...part, reply: '{"id":1}', replyWithGasless: '{"id":1,"parent_gasless_action":"x"}' }]
    const wanted = { types: ['actions', 'trace'], addresses: [A], trace_external_hash_norms: [KEY] }
    const old = connect(wanted)
    const current = connect({ ...wanted, supported_action_types: ['v5'] })
    const event = { finality: 'finalized', key: KEY, trace: '{}', transactions: '{}', listed: [] } as const
    await hub.publish({ kind: 'actions', finality: 'finalized', key: KEY, actions })
    await hub.publish({ kind: 'trace', ...event, actions })
    const got = [old, current].map((connection) => connection.got.map((frame) => frame['actions']))
    const parts = [{ id: 1 }]
    const named = [{ id: 1, parent_gasless_action: 'x' }]
    expect(got).toEqual([
      [parts, parts],
      [named, named],
    ])
  })

  test('of a jetton wallet comes once, to its owner and to itself', async () => {
    const { hub, connect } = openHub()
    const event: ChainEvent = {
      ...{ kind: 'jettons_change', finality: 'finalized', wallet: A, owner: B, master: C },
      jetton: '{"balance":"1"}',
    }
    const types = ['jettons_change']
    const [both, owner, other] = [
      connect({ types, addresses: [A, B] }),
      connect({ types, addresses: [B], include_address_book: true }),
      connect({ types, addresses: [C] }),
    ]
    await hub.publish(event)
    expect([both.got.length, owner.got.length, other.got.length]).toEqual([1, 1, 0])
    expect(Object.keys(owner.got[0]!['address_book'] as object)).toEqual([A, B, C])
  })
})

describe('finality', () => {
  test('never decreases on a connection, and only what was not final is taken back, once', async () => {
    const { hub, connect } = openHub()
    const wanted = { types: ['transactions'], addresses: [A] }
    const pending = connect({ ...wanted, min_finality: 'pending' })
    const confirmed = connect({ ...wanted, min_finality: 'confirmed' })
    const finalized = connect(wanted)
    await hub.publish(transactions('pending', [A]))
    await hub.publish(transactions('confirmed', [A]))
    await hub.publish(transactions('pending', [A]))
    expect(pending.got.map((event) => event['finality'])).toEqual(['pending', 'confirmed'])
    expect([confirmed.got.length, finalized.got.length]).toEqual([1, 0])
    hub.invalidate(KEY)
    hub.invalidate(KEY)
    expect(pending.got.slice(2)).toEqual([{ type: 'trace_invalidated', trace_external_hash_norm: KEY }])
    expect([confirmed.got.length, finalized.got.length]).toEqual([2, 0])
    await hub.publish(transactions('finalized', [A]))
    hub.invalidate(KEY)
    expect(pending.got.at(-1)).toMatchObject({ finality: 'finalized' })
  })
})

test('a trace is sent once to who subscribed to it by either hash of its message, or by both', async () => {
  const { hub, connect } = openHub()
  const sentHash = Buffer.alloc(32, 2).toString('base64')
  const by = (...hashes: string[]) => connect({ types: ['trace'], trace_external_hash_norms: hashes })
  const all = [by(KEY), by(sentHash), by(KEY, sentHash), by(Buffer.alloc(32, 3).toString('base64'))]
  const event = { finality: 'finalized', key: KEY, trace: '{}', transactions: '{}', listed: [] } as const
  await hub.publish({ kind: 'trace', ...event, sentHash, actions: [] })
  expect(all.map(({ got }) => got.map((one) => one['trace_external_hash_norm']))).toEqual([
    ...[[KEY], [KEY], [KEY], []],
  ])
})

test('a trace that grows is sent again to those alone of whose accounts it has more', async () => {
  const { hub, connect } = openHub()
  const wanted = { types: ['transactions'], addresses: [A] }
  const [first, later] = [connect(wanted), connect({ ...wanted, min_finality: 'pending' })]
  const second = connect({ ...wanted, addresses: [B] })
  const old = connect({ addresses: [A], types: ['transactions'] }, V1)
  const publish = async (accounts: readonly string[], block: number, { mayGrow = true, from = 0 } = {}) => {
    const event = transactions('finalized', accounts)
    const parts = event.transactions.map((part, i) => ({ ...part, lt: BigInt(i), mcBlockSeqno: i + 1 }))
    await hub.publish({ ...event, transactions: parts.slice(from).reverse(), block, mayGrow })
  }
  const counts = () => [first, second, later, old].map(({ got }) => got.length)
  await publish([A], 1)
  await publish([A, B], 2)
  await publish([A, B], 2)
  expect(counts()).toEqual([1, 1, 1, 1])
  await publish([A, B, A], 3)
  expect(counts()).toEqual([2, 1, 2, 2])
  expect(first.got[1]!['transactions']).toHaveLength(2)
  // Of a long trace the event leaves out what is old.
  await publish([A, B, A, B], 4, { from: 1 })
  expect(counts()).toEqual([2, 2, 2, 2])
  // Whoever subscribes anew has nothing, whatever it had before.
  hub.subscribers.change(second.subscriber, readSubscription({ ...wanted, addresses: [B] }, { wire: 'ws' }))
  await publish([A, B, A], 4)
  expect(counts()).toEqual([2, 3, 2, 2])
  await publish([A, B, A], 5, { mayGrow: false })
  expect(counts()).toEqual([2, 3, 2, 2])
  await publish([A, B, A, B], 6, { mayGrow: false })
  expect(counts()).toEqual([2, 4, 2, 2])
})

test('of traces that grow, each of many followed accounts gets its own once', async () => {
  const { hub, connect } = openHub()
  const accounts = Array.from(
    { length: 100 },
    (_, i) => `0:${i.toString(16).padStart(64, '0').toUpperCase()}`,
  )
  const { got } = connect({ types: ['transactions'], addresses: accounts })
  const publish = async () => {
    for (const account of accounts) {
      const event = { ...transactions('finalized', [account]), key: account, block: 1, mayGrow: true }
      await hub.publish(event)
    }
  }
  await publish()
  await publish()
  expect(got).toHaveLength(accounts.length)
})

test('a final part of a trace of which more is expected is sent only to who gets nothing else', async () => {
  const { hub, connect } = openHub()
  const wanted = { types: ['transactions'], addresses: [A] }
  const [pending, confirmed, finalized] = ['pending', 'confirmed', 'finalized'].map((min_finality) =>
    connect({ ...wanted, min_finality }),
  ) as [ReturnType<typeof connect>, ReturnType<typeof connect>, ReturnType<typeof connect>]
  expect(hub.subscribers.wantsUncertain).toBe(true)
  await hub.publish({ ...transactions('finalized', [A]), isPart: true })
  await hub.publish(transactions('pending', [A]))
  expect([pending, confirmed, finalized].map(({ got }) => got.map((event) => event['finality']))).toEqual([
    ['pending'],
    ['finalized'],
    ['finalized'],
  ])
  for (const { subscriber } of [pending, confirmed]) {
    expect(hub.subscribers.wantsUncertain).toBe(true)
    hub.subscribers.remove(subscriber)
  }
  expect(hub.subscribers.wantsUncertain).toBe(false)
})

describe('a connection that does not read', () => {
  test('gets the newest snapshot of a trace, and is closed when too much waits', async () => {
    const { hub, connect } = openHub()
    const types = ['transactions', 'account_state_change']
    const slow = connect({ types, addresses: [A, B, C] })
    const quick = connect({ types, addresses: [A, B, C] })
    const state = (account: string, n: number): ChainEvent => ({
      ...{ kind: 'account_state_change', finality: 'finalized', account },
      state: `{"n":${n}}`,
    })
    slow.transport.isReady = false
    await hub.publish(state(A, 0))
    for (let n = 1; n < 100; n++) await hub.publish(state(A, n))
    expect(slow.got).toHaveLength(1)
    slow.transport.isReady = true
    slow.subscriber.outbox.flush()
    expect(slow.got.slice(1)).toMatchObject([{ state: { n: 99 } }])
    slow.transport.isReady = false
    await hub.publish(state(A, 0))
    for (const account of [A, B, C]) await hub.publish(state(account, 1))
    expect(slow.closed).toEqual([])
    await hub.publish(transactions('finalized', [A]))
    expect(slow.closed).toEqual([1013])
    expect(quick.got).toHaveLength(100 + 5)
  })

  test('gets what it missed before what happened meanwhile', async () => {
    const { hub, connect } = openHub()
    const one = connect({ types: ['transactions'], addresses: [A, B] })
    one.subscriber.outbox.hold()
    await hub.publish(transactions('finalized', [B]))
    const frame = await hub.frameOf(transactions('finalized', [A]), one.subscriber)
    await one.subscriber.outbox.pushAhead(frame!)
    one.subscriber.outbox.release()
    expect(one.got).toMatchObject([{ transactions: [{ account: A }] }, { transactions: [{ account: B }] }])
  })
})

describe('a WebSocket', () => {
  /** `positions`: what follows one after the other, undefined at the end. */
  function open(rest?: () => Promise<void>, positions: number[] = []) {
    const { hub, connect } = openHub(rest)
    const one = connect({ types: ['actions'], addresses: [A], min_finality: 'pending' })
    const limits = { addresses: 2, traces: 2 }
    const { subscribers } = hub
    const resume = () => {}
    const position = () => positions.shift()
    const session = new Session(one.subscriber, { subscribers, limits, now: () => 0, resume, position })
    const send = (frame: unknown) => {
      session.receive(typeof frame === 'string' ? frame : JSON.stringify(frame))
      return one.got.at(-1)
    }
    return { ...one, hub, send }
  }

  test('answers every frame with its id', () => {
    const { send } = open()
    expect(send({ operation: 'ping', id: 'p' })).toEqual({ status: 'pong', id: 'p' })
    expect(send({ operation: 'ping' })).toEqual({ status: 'pong' })
    expect(send('{')).toEqual({ error: expect.stringMatching(/^invalid request envelope: /) })
    expect(send([])).toEqual({ error: 'invalid request envelope: a frame is a JSON object' })
    expect(send({ operation: 'ping', id: 5 })).toEqual({
      error: 'invalid request envelope: id must be a text',
    })
    expect(send({ operation: 'jump', id: 'j' })).toEqual({ error: 'unknown operation: jump', id: 'j' })
    expect(send({ operation: { toString: 1 } })).toEqual({
      error: 'invalid request envelope: operation must be a text',
    })
    expect(send({ operation: 'unsubscribe', id: 'u' })).toEqual({
      error: 'addresses or trace_external_hash_norms are required',
      id: 'u',
    })
  })

  test('replaces its subscription as a whole, or keeps it when the new one is wrong', () => {
    const { send, subscriber } = open()
    expect(send({ operation: 'subscribe', id: 's', types: [] })).toEqual({
      error: 'types are required',
      id: 's',
    })
    expect(subscriber.subscription.minFinality).toBe('pending')
    expect(send({ operation: 'subscribe', types: ['transactions'], addresses: [B, A] })).toEqual({
      status: 'subscribed',
    })
    expect(subscriber.subscription).toMatchObject({
      minFinality: 'finalized',
      types: new Set(['transactions']),
    })
    expect(send({ operation: 'unsubscribe', addresses: [A, B, C] })).toEqual({ status: 'unsubscribed' })
    expect(subscriber.subscription.addresses.size).toBe(0)
  })

  test('gets the block up to which it has everything, unless it still gets what it missed', () => {
    const { send, subscriber } = open(undefined, [7, 8, 9])
    const frame = { operation: 'subscribe', types: ['transactions'], addresses: [A] }
    expect(send({ ...frame, id: 's' })).toEqual({ status: 'subscribed', id: 's', resume_from: 7 })
    expect(send({ operation: 'ping' })).toEqual({ status: 'pong', resume_from: 8 })
    expect(send({ ...frame, resume_from: 5 })).toEqual({ status: 'subscribed' })
    subscriber.gaps++
    expect(send({ operation: 'ping' })).toEqual({ status: 'pong' })
    subscriber.gaps--
    expect(send({ operation: 'ping' })).toEqual({ status: 'pong', resume_from: 9 })
  })

  test('receives events of a new subscription after its acknowledgement, however late it reads', async () => {
    const { send, hub, subscriber, transport, got } = open()
    send({ operation: 'subscribe', types: ['transactions'], addresses: [A] })
    transport.isReady = false
    for (const finality of ['finalized', 'finalized'] as const) await hub.publish(transactions(finality, [A]))
    send({ operation: 'subscribe', id: 'both', types: ['transactions'], addresses: [A, B] })
    await hub.publish(transactions('finalized', [B, A]))
    transport.isReady = true
    subscriber.outbox.flush()
    expect(got.slice(1)).toMatchObject([
      { transactions: [{ account: A }] },
      { transactions: [{ account: A }] },
      { status: 'subscribed', id: 'both' },
      { transactions: [{ account: B }, { account: A }] },
    ])
  })

  test('that subscribes while an event is on its way is answered before it', async () => {
    let meanwhile = () => {}
    const { send, hub, got } = open(async () => meanwhile())
    send({ operation: 'subscribe', types: ['transactions'], addresses: [A] })
    meanwhile = () => {
      meanwhile = () => {}
      send({ operation: 'subscribe', id: 'other', types: ['transactions'], addresses: [B] })
    }
    await hub.publish(transactions('finalized', [B, A]))
    expect(got.slice(1)).toMatchObject([
      { status: 'subscribed', id: 'other' },
      { transactions: [{ account: B }] },
    ])
  })

  test('may change its subscription ten times a second', () => {
    const { send } = open()
    const frame = { operation: 'unsubscribe', addresses: [A] }
    for (let i = 0; i < 10; i++) expect(send(frame)).toEqual({ status: 'unsubscribed' })
    expect(send(frame)).toEqual({ error: expect.stringContaining('too many operations') })
  })

  test('leaves nothing behind in the index of subscriptions', () => {
    const { hub, subscriber } = open()
    hub.subscribers.remove(subscriber)
    expect([hub.subscribers.count, hub.subscribers.addresses, hub.subscribers.wants('actions')]).toEqual([
      ...[0, 0, false],
    ])
  })
})
