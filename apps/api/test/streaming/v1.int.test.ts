import { profileRules, v1EventSchemas } from '@shardwalk/api-schema'
import { parseRoot } from '@shardwalk/cells'
import { readSentMessage } from '@shardwalk/pending'
import { waitFor } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { GrowingChain } from '../pending/growing-chain.ts'
import type { PendingApi } from '../pending/pending-api.ts'
import { startStreaming } from './moving-chain.ts'
import { SseClient, WsClient } from './stream-clients.ts'

// Block 242 receives jetton transfers between shards, which end six blocks later.
const BEFORE = 241
const LAST = 248
/** Hashes of two of their messages, the beginning. */
const [FIRST, SECOND] = ['5c6877f4', '6379d718']

let chain: GrowingChain
let api: PendingApi
const messages = new Map<string, Buffer>()
beforeAll(async () => {
  chain = await GrowingChain.open({ from: BEFORE, to: LAST })
  for (const boc of await chain.messagesOf(BEFORE + 1)) {
    messages.set(parseRoot(boc).hash().toString('hex').slice(0, 8), boc)
  }
  await chain.classify()
  api = await chain.start()
})
afterAll(async () => {
  await api?.close()
  await chain?.close()
})

const opened: (() => void)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})
async function sse(body: object, version = 'v1'): Promise<SseClient> {
  // Version 1 goes on from nowhere.
  const headers: Record<string, string> = version === 'v1' ? { 'Last-Event-ID': '1' } : {}
  const client = await SseClient.open(`${api.url}/api/streaming/${version}/sse`, body, headers)
  opened.push(() => client.close())
  await waitFor('the first frame', () => client.frames[0])
  return client
}
async function ws(): Promise<WsClient> {
  const client = await WsClient.open(`${api.url}/streaming/v1/ws`)
  opened.push(() => client.socket.terminate())
  return client
}

const EVENTS = v1EventSchemas(profileRules('standard'))
/** As the AsyncAPI document describes it: nothing says how final it is, or where to go on. */
const check = (event: Json): unknown => EVENTS[event['type'] as keyof typeof EVENTS].parse(event)

const TYPES = Object.keys(EVENTS).filter((type) => type !== 'trace_invalidated')
const of = (events: readonly Json[], type: string) => events.filter((event) => event['type'] === type)

interface Transaction {
  readonly account: string
  readonly hash: string
  readonly emulated: boolean
}
const transactionsOf = (event: Json) => event['transactions'] as readonly Transaction[]

test('what a sent message does is sent while it is pending, then once when it is final', async () => {
  const boc = messages.get(FIRST)!
  const { account } = readSentMessage(boc)
  const stream = await sse({ id: 's', addresses: [account], types: TYPES, include_address_book: true })
  expect(stream.frames[0]).toMatchObject({ event: 'connected', data: { status: 'subscribed', id: 's' } })
  const socket = await ws()
  await socket.ask({ operation: 'configure', include_address_book: true })
  for (const types of [TYPES.slice(0, 2), TYPES.slice(2)])
    expect(await socket.ask({ operation: 'subscribe', id: 'w', addresses: [account], types })).toEqual({
      status: 'subscribed',
      id: 'w',
    })
  const second = await sse({ addresses: [account], types: ['transactions', 'account_state_change'] }, 'v2')

  const { message_hash_norm: key } = await api.send(boc)
  for (const one of [stream, socket])
    for (const type of ['pending_transactions', 'pending_actions'])
      await waitFor(type, () => of(one.events, type)[0])
  expectPending(stream.events, { account, key })
  await chain.prolong()
  await moveToEnd(key)
  for (const one of [stream, socket]) await waitFor('the actions', () => of(one.events, 'actions')[0])
  await waitFor('the transactions of version 2', () => of(second.events, 'transactions').at(-1))

  for (const { events } of [stream, socket]) {
    for (const event of events) check(event)
    expectTransactionsOnce(events, second.events)
    expectActionsOnceFinal(events)
    const states = of(second.events, 'account_state_change').map(({ state }) => state)
    expect(of(events, 'account_state_change').map(({ state }) => state)).toEqual(states)
    expect(states.length).toBeGreaterThan(0)
  }
  expect(stream.frames.every(({ id }) => id === undefined)).toBe(true)
})

function expectPending(
  events: readonly Json[],
  sent: { readonly account: string; readonly key: string },
): void {
  const { account, key } = sent
  const [first] = of(events, 'pending_transactions')
  expect(first!['trace_external_hash_norm']).toBe(key)
  // The transfer and its excesses.
  expect(transactionsOf(first!).map((one) => [one.account, one.emulated])).toEqual([
    ...[account, account].map((own) => [own, true]),
  ])
  expect(Object.keys(first!['address_book'] as Json)).toContain(account)
  expect(of(events, 'transactions').concat(of(events, 'actions'))).toEqual([])
}

/** Each block is emulated with before the next one comes. */
async function moveToEnd(key: string): Promise<void> {
  for (let seqno = BEFORE + 1; seqno <= LAST; seqno++) {
    await chain.moveTo(seqno)
    await waitFor('the block', () => api.streams.follower.position === seqno)
    await waitFor('the block in the pending trace', () => isSeen(key))
  }
  await chain.classify()
}

/** Transactions come once each, with their block; version 2 repeats the trace. */
function expectTransactionsOnce(events: readonly Json[], ofSecond: readonly Json[]): void {
  const received = of(events, 'transactions').flatMap(transactionsOf)
  expect(new Set(received.map(({ hash }) => hash)).size).toBe(received.length)
  expect(received.some(({ emulated }) => emulated)).toBe(false)
  const all = of(ofSecond, 'transactions')
  expect(received.map(({ hash }) => hash).sort()).toEqual(
    transactionsOf(all.at(-1)!)
      .map(({ hash }) => hash)
      .sort(),
  )
  expect(all.flatMap(transactionsOf).length).toBeGreaterThan(received.length)
}

/** Pending until all is final, and then both. */
function expectActionsOnceFinal(events: readonly Json[]): void {
  const types = events.map(({ type }) => type)
  expect(types.filter((type) => type === 'actions')).toHaveLength(1)
  expect(types.lastIndexOf('pending_actions')).toBe(types.indexOf('actions') - 1)
  expect(of(events, 'pending_actions').at(-1)!['actions']).toEqual(of(events, 'actions')[0]!['actions'])
  expect(of(events, 'pending_actions').length).toBeGreaterThan(2)
  expect(types).not.toContain('trace_invalidated')
}

/** Whether the pending trace has everything that the index has. */
async function isSeen(hash: string): Promise<boolean> {
  const { body } = await api.get('pendingTraces', { ext_msg_hash: hash })
  const [trace] = body['traces'] as { transactions: Record<string, Transaction> }[]
  const { body: indexed } = await api.get('traces', { msg_hash: hash })
  const real = (indexed['traces'] as { transactions_order: string[] }[])[0]?.transactions_order ?? []
  return !trace || real.every((one) => trace.transactions[one]?.emulated === false)
}

test('what does not happen is taken back, from those alone who had received it', async () => {
  const boc = messages.get(SECOND)!
  const { account } = readSentMessage(boc)
  const types = { pending: ['pending_transactions', 'transactions'], final: ['transactions', 'actions'] }
  const pending = await ws()
  const subscriptions = { [account]: types.pending }
  expect(await pending.ask({ operation: 'set_subscription', subscriptions })).toEqual({
    status: 'subscription_set',
  })
  const final = await sse({ addresses: [account], types: types.final })
  await chain.scratch.pool.query('delete from pending_traces')
  await api.push(await api.competitorOf(boc))
  await waitFor('the pending event', () => pending.events[0])
  await chain.scratch.pool.query('update pending_traces set expires_at = now(), due_at = now()')
  await waitFor('the invalidation', () => of(pending.events, 'trace_invalidated')[0])
  for (const event of pending.events) check(event)
  expect(final.events).toEqual([])
  expect(await pending.ask({ operation: 'unsubscribe', addresses: [account] })).toEqual({
    status: 'unsubscribed',
  })
})

test('who does not switch it on has no version 1: its paths are unknown', async () => {
  const own = await startStreaming(chain.scratch)
  try {
    for (const base of ['/api/streaming', '/streaming']) {
      for (const [method, name] of [
        ['POST', 'sse'],
        ['GET', 'sse'],
        ['GET', 'ws'],
      ] as const) {
        const [v1, unknown] = await Promise.all(
          ['v1', 'v9'].map(async (version) => {
            const reply = await fetch(`${own.url}${base}/${version}/${name}`, { method })
            return [reply.status, (await reply.text()).replaceAll(version, '')]
          }),
        )
        expect(v1).toEqual(unknown)
        expect(v1![0]).toBe(404)
      }
      await expect(WsClient.open(`${own.url}${base}/v1/ws`)).rejects.toThrow('status 404')
      const second = await WsClient.open(`${own.url}${base}/v2/ws`)
      expect(await second.ask({ operation: 'set_subscription' })).toEqual({
        error: 'unknown operation: set_subscription',
      })
      second.socket.terminate()
    }
  } finally {
    await own.close()
  }
})
