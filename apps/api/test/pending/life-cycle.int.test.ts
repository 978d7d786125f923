import { profileRules, traceReplies, v3Replies } from '@shardwalk/api-schema'
import { parseRoot } from '@shardwalk/cells'
import { claimPending } from '@shardwalk/db'
import { readSentMessage } from '@shardwalk/pending'
import { waitFor } from '@shardwalk/testkit'
import { type EmulateCall, type EmulateResult, TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import type { SseClient } from '../streaming/stream-clients.ts'
import { GrowingChain } from './growing-chain.ts'
import {
  expectRising,
  hashOf,
  type PendingAction,
  type PendingApi,
  type PendingTrace,
  type PendingTransaction,
} from './pending-api.ts'

// Block 242 receives jetton transfers between shards, which end six blocks later.
const BEFORE = 241
const LAST = 272
/** Hashes of two of their messages, the beginning: of user13 and of user12. */
const [FIRST, SECOND] = ['5c6877f4', '6379d718']
/** Of user11. */
const WINNER = 'd40b7f2a'

let chain: GrowingChain
let api: PendingApi
const messages = new Map<string, Buffer>()
beforeAll(async () => {
  chain = await GrowingChain.open({ from: BEFORE, to: LAST })
  for (const boc of await chain.messagesOf(BEFORE + 1)) messages.set(hashOf(boc).slice(0, 8), boc)
  await chain.classify()
  api = await chain.start()
})
afterAll(async () => {
  await api?.close()
  await chain?.close()
})

const replies = { ...traceReplies(profileRules('standard')), ...v3Replies(profileRules('standard')) }

async function indexedTrace(hash: string): Promise<PendingTrace | undefined> {
  const { body } = await api.get('traces', { msg_hash: hash, include_actions: 'true' })
  return (body['traces'] as PendingTrace[])[0]
}

/** Asked in this order: what is in the lists does not leave them. Resolves to what is pending. */
async function expectSomewhere(hash: string): Promise<PendingTrace | undefined> {
  const pending = await api.pendingTrace(hash)
  if (pending) return pending
  const indexed = await indexedTrace(hash)
  expect(indexed?.trace_info).toMatchObject({ trace_state: 'complete', classification_state: 'ok' })
  return undefined
}

const emulatedIn = (trace: PendingTrace): number =>
  Object.values(trace.transactions).filter(({ emulated }) => emulated).length

test('nothing is pending: clients get what TON Center says', async () => {
  const account = `0:${'0'.repeat(64)}`
  const asked: readonly (readonly [string, Record<string, string>, number, Json])[] = [
    ['pendingTransactions', {}, 422, { error: 'at least 1 account address required' }],
    ['pendingTransactions', { account }, 404, { error: 'emulated traces not found' }],
    ['pendingTraces', {}, 422, { error: 'account or ext_msg_hash should be specified' }],
    ['pendingTraces', { account }, 200, { traces: [], address_book: {}, metadata: {} }],
    ['pendingActions', {}, 422, { error: 'account or ext_msg_hash should be specified' }],
    ['pendingActions', { account }, 200, { actions: [], address_book: {}, metadata: {} }],
  ]
  for (const [path, query, status, body] of asked) {
    const reply = await api.get(path, query)
    expect([path, reply.status]).toEqual([path, status])
    expect(reply.body).toMatchObject(body)
  }
  expect((await api.get('pendingTraces', { ext_msg_hash: 'abc' })).status).toBe(422)
})

test('the work of a process that died is taken over by another', async () => {
  const boc = messages.get(SECOND)!
  const key = readSentMessage(boc).hashNorm.toString('base64')
  const idle = await chain.start({ places: 0 })
  await api.close()
  expect((await idle.push(boc)).body['admission']).toBe('admitted')
  expect((await idle.push(boc)).body['admission']).toBe('known')
  // It claimed the message and was killed.
  expect(await claimPending(chain.scratch.db, { limit: 9, leaseMs: 60_000 })).toHaveLength(1)
  api = await chain.start()
  expect(await api.pendingTrace(key)).toBeUndefined()
  await chain.scratch.pool.query('update pending_traces set leased_until = now()')
  const trace = await waitFor('the other process', () => api.pendingTrace(key))
  expect(emulatedIn(trace)).toBe(5)
  // What a process has found out is there for all.
  expect(await idle.pendingTrace(key)).toEqual(trace)
  await idle.close()
})

/** Of every message, only the first transaction is run in time. */
class BusyTvm extends TvmPool {
  isBusy = true
  attempts = 0

  override async emulate(call: EmulateCall): Promise<EmulateResult> {
    const message = call.message.hash().toString('hex')
    const isRoot = messages.has(message.slice(0, 8))
    if (isRoot) this.attempts++
    if (this.isBusy && !isRoot) return { ok: false, reason: 'timeout', message: 'no answer in time' }
    return super.emulate(call)
  }
}

test('what was cut short for want of time is tried again, and sent when more is found', async () => {
  await chain.scratch.pool.query('delete from pending_traces')
  const boc = messages.get(SECOND)!
  const key = readSentMessage(boc).hashNorm.toString('base64')
  const tvm = new BusyTvm({ threads: 1 })
  await api.close()
  api = await chain.start({}, tvm)
  await api.push(boc)
  const cut = await waitFor('what could be run', () => api.pendingTrace(key))
  expect([cut['is_incomplete'], emulatedIn(cut)]).toEqual([true, 1])
  await waitFor('another attempt', async () => tvm.attempts > 1)
  expect(await api.pendingTrace(key)).toEqual(cut)
  tvm.isBusy = false
  const whole = async () => {
    const trace = await api.pendingTrace(key)
    return trace && emulatedIn(trace) === 5 && trace
  }
  expect((await waitFor('the whole trace', whole))['is_incomplete']).toBe(false)
})

const competing: { key: string; streams: SseClient[] } = { key: '', streams: [] }

test('two messages with one seqno are both pending, each found by either of its hashes', async () => {
  const winner = messages.get(WINNER)!
  const loser = await api.competitorOf(winner)
  const { account, hashNorm } = readSentMessage(loser)
  competing.key = hashNorm.toString('base64')
  const body = { types: ['transactions'], addresses: [account] }
  competing.streams = [await api.follow('pending', body), await api.follow('finalized', body)]
  for (const boc of [winner, loser]) expect((await api.push(boc)).body['admission']).toBe('admitted')
  await waitFor('both', async () => {
    const { body: found } = await api.get('pendingTraces', { account })
    return (found['traces'] as PendingTrace[]).length === 2
  })
  await waitFor('both events', async () => competing.streams[0]!.events.length === 2)
  const sent = readSentMessage(winner)
  expect(sent.hash).not.toEqual(sent.hashNorm)
  const [own, normalized] = await Promise.all(
    [sent.hash, sent.hashNorm].map((hash) => api.pendingTrace(hash.toString('hex'))),
  )
  expect(own).toBeDefined()
  expect(own).toEqual(normalized)
  await chain.prolong()
})

test('a transfer is pending, begins and ends, always pending or in the lists, whoever dies', async () => {
  const boc = messages.get(FIRST)!
  const { account } = readSentMessage(boc)
  const types = ['transactions', 'actions']
  const all = await api.follow('pending', { types, addresses: [account] })
  const final = await api.follow('finalized', { types, addresses: [account] })
  const { message_hash: hash, message_hash_norm: hashNorm } = await api.send(boc)
  const ofHash = (one: string) =>
    api.follow('pending', { types: ['trace'], trace_external_hash_norms: [one] })
  const [whole, bySent] = [await ofHash(hashNorm), await ofHash(hash)]

  const expected = await waitFor('a pending trace', () => api.pendingTrace(hashNorm))
  expect(expected.trace_id).toBeNull()
  expect(expected['external_hash']).toBe(hash)
  expect(expected.trace_info).toMatchObject({ trace_state: 'pending', classification_state: 'ok' })
  expect(expected.actions.map(({ type }) => type)).toContain('jetton_transfer')
  expect([emulatedIn(expected), expected.transactions_order.length]).toEqual([5, 5])
  expect(await api.pendingTrace(hash)).toEqual(expected)
  await expectOthersAgree(account, expected)
  await chain.prolong()

  for (let seqno = BEFORE + 1; seqno <= 248; seqno++) {
    await expectNothingLost(hashNorm)
    await chain.moveTo(seqno)
    await expectSeen(hashNorm, seqno)
  }
  await chain.dieClassifying()
  expect((await indexedTrace(hashNorm))!.trace_info).toMatchObject({ classification_state: 'unclassified' })
  expect(await api.pendingTrace(hashNorm)).toBeDefined()
  await chain.classify()
  await waitFor('the end of the pending trace', async () => (await expectSomewhere(hashNorm)) === undefined)
  const indexed = await indexedTrace(hashNorm)
  // Contracts are not examined here, so the index knows less of them.
  expect(indexed!.actions.length).toBeGreaterThan(0)

  await waitFor('the last event', async () => all.events.at(-1)?.['finality'] === 'finalized')
  expectRising(all.events, 'pending')
  expectRising(whole.events, 'pending')
  expectRising(bySent.events, 'pending')
  expectOwnFinality(all.events)
  expect(final.events.every((event) => event['finality'] === 'finalized')).toBe(true)
  for (const stream of [all, final, whole, bySent]) {
    expect(stream.events.filter(({ type }) => type === 'trace_invalidated')).toEqual([])
    stream.close()
  }
})

/** A process that dies while it writes a block changes nothing. */
async function expectNothingLost(hashNorm: string): Promise<void> {
  const before = await chain.transactionsOf(hashNorm, api)
  await chain.dieWriting()
  expect(await chain.transactionsOf(hashNorm, api)).toEqual(before)
  await expectSomewhere(hashNorm)
}

/** The pending trace has what the block did, and still everything that will happen. */
async function expectSeen(hashNorm: string, seqno: number): Promise<void> {
  const real = await chain.transactionsOf(hashNorm, api)
  const seen = await waitFor(`block ${seqno} seen`, async () => {
    const trace = await expectSomewhere(hashNorm)
    return trace && trace.transactions_order.length - emulatedIn(trace) === real.length ? trace : undefined
  })
  expect(seen.trace_id).toBe(real[0])
  expect(seen.transactions_order).toEqual(expect.arrayContaining(real))
  expect(seen.transactions_order).toHaveLength(5)
  for (const one of Object.values(seen.transactions))
    expect(one.finality).toBe(one.emulated ? 'pending' : 'finalized')
}

/** What the other two endpoints say of a trace that has not begun. */
async function expectOthersAgree(account: string, trace: PendingTrace): Promise<void> {
  const { body: transactions } = await api.get('pendingTransactions', { account })
  expect(replies.Transactions.parse(transactions)).toBeTruthy()
  const own = transactions['transactions'] as PendingTransaction[]
  expect(own.length).toBeGreaterThan(0)
  for (const one of own) expect(one).toMatchObject({ account, emulated: true, finality: 'pending' })
  const byTrace = await api.get('pendingTransactions', { trace_id: trace['external_hash'] as string })
  const rows = byTrace.body['transactions'] as { lt: string }[]
  expect(rows).toHaveLength(trace.transactions_order.length)
  const lts = rows.map(({ lt }) => BigInt(lt))
  expect(lts).toEqual([...lts].sort((a, b) => (a < b ? 1 : -1)))
  const { body: actions } = await api.get('pendingActions', { account, include_transactions: 'true' })
  expect(replies.Actions.parse(actions)).toBeTruthy()
  const [transfer] = actions['actions'] as PendingAction[]
  expect(transfer).toMatchObject({ type: 'jetton_transfer', finality: 'pending', trace_id: null })
  expect(transfer!.transactions_full!.length).toBe(transfer!.transactions.length)
  expect(Object.keys(actions['address_book'] as Json)).toContain(account)
}

interface StreamEvent {
  readonly type: string
  readonly finality: string
  readonly transactions?: readonly PendingTransaction[]
}

/** Transactions are as final as the least final of them; of actions, the excesses need not have landed. */
function expectOwnFinality(events: readonly Json[]): void {
  const received = events as never as StreamEvent[]
  const firstFinal = (type: string) =>
    received.findIndex((event) => event.type === type && event.finality === 'finalized')
  expect(firstFinal('actions')).toBeLessThan(firstFinal('transactions'))
  for (const { finality, transactions = [] } of received)
    if (finality === 'finalized')
      expect(transactions.filter((one) => one.finality !== 'finalized')).toEqual([])
}

test('the message that came too late is invalidated, once, for those who had received it', async () => {
  const [pending, final] = competing.streams as [SseClient, SseClient]
  const invalidation = { type: 'trace_invalidated', trace_external_hash_norm: competing.key }
  const invalidated = (stream: SseClient) => stream.events.filter(({ type }) => type === 'trace_invalidated')
  await waitFor('the invalidation', async () => invalidated(pending).length > 0)
  expect(await api.pendingTrace(competing.key)).toBeUndefined()
  await waitFor('the winner', async () => final.events.length > 0)
  expect(invalidated(pending)).toEqual([invalidation])
  expect(invalidated(final)).toEqual([])
  for (const stream of competing.streams) stream.close()
})

test('a message that does not happen in time is invalidated, and may be sent again', async () => {
  const boc = await api.competitorOf(messages.get(WINNER)!)
  const { account, hashNorm } = readSentMessage(boc)
  const key = hashNorm.toString('base64')
  const stream = await api.follow('pending', { types: ['transactions'], addresses: [account] })
  await api.push(boc)
  await waitFor('a pending trace', () => api.pendingTrace(key))
  await chain.scratch.pool.query('update pending_traces set expires_at = now(), due_at = now()')
  const last = () => stream.events.at(-1)
  await waitFor('the invalidation', async () => last()?.['type'] === 'trace_invalidated')
  expect((await api.push(boc)).body['admission']).toBe('known')
  await chain.scratch.pool.query(`update pending_traces set changed_at = now() - interval '11 s'`)
  expect((await api.push(boc)).body['admission']).toBe('admitted')
  await waitFor('the trace again', async () => last()?.['type'] === 'transactions')
  stream.close()
})

test('what a crash of PostgreSQL makes forgotten is taken back, if it has not happened', async () => {
  const boc = await api.competitorOf(messages.get(SECOND)!)
  const { account } = readSentMessage(boc)
  const stream = await api.follow('pending', { types: ['transactions'], addresses: [account] })
  await api.push(boc)
  await waitFor('the pending event', async () => stream.events.length > 0)
  // What a crash does to a table without a log.
  await chain.scratch.pool.query('truncate pending_traces')
  const last = () => stream.events.at(-1)?.['type']
  await waitFor('the invalidation', async () => last() === 'trace_invalidated')
  stream.close()
})

interface Sent {
  readonly account: string
  readonly hashNorm: Buffer
  readonly key: string
}

test('who comes back, to whichever process, receives what was invalidated and what is pending', async () => {
  const { pool } = chain.scratch
  await pool.query('truncate pending_traces')
  const other = await chain.start({ places: 0 })
  const sent: Sent[] = []
  for (const message of [FIRST, SECOND]) {
    const boc = await api.competitorOf(messages.get(message)!)
    const { account, hashNorm } = readSentMessage(boc)
    await api.push(boc)
    await waitFor('a pending trace', () => api.pendingTrace(hashNorm.toString('base64')))
    sent.push({ account, hashNorm, key: hashNorm.toString('base64') })
  }
  const [given, kept] = sent as [Sent, Sent]
  const expire = (hash: Buffer) =>
    pool.query('update pending_traces set expires_at = now(), due_at = now() where hash_norm = $1', [hash])
  await expire(given.hashNorm)
  await waitFor('the end of the trace', async () => (await api.pendingTrace(given.key)) === undefined)
  const back = (position: number, ...addresses: string[]) =>
    other.follow('pending', { types: ['transactions'], addresses }, { 'Last-Event-ID': String(position) })
  const received = ({ events }: SseClient) =>
    events
      .filter(({ finality }) => finality !== 'finalized')
      .map(({ type, trace_external_hash_norm: key }) => ({ type, key }))
  const invalidated = ({ key }: Sent) => ({ type: 'trace_invalidated', key })
  const all = await back(chain.head, given.account, kept.account)
  // What concerns others is not sent.
  const one = await back(chain.head, kept.account)
  try {
    const pending = { type: 'transactions', key: kept.key }
    await waitFor('what is pending and what is not any more', async () => received(all).length === 2)
    expect(received(all)).toEqual([pending, invalidated(given)])
    await waitFor('what is pending', async () => received(one).length === 1)
    await expire(kept.hashNorm)
    await waitFor(
      'the other invalidation',
      async () => received(all).length === 3 && received(one).length === 2,
    )
    expect(received(all).at(-1)).toEqual(invalidated(kept))
    expect(received(one)).toEqual([pending, invalidated(kept)])
  } finally {
    for (const stream of [all, one]) stream.close()
    await other.close()
  }
})

test('what is handed over without the secret, or is no message, is refused', async () => {
  expect((await api.push(messages.get(FIRST)!, 'wrong')).status).toBe(401)
  expect((await api.push(Buffer.from('no bag'))).status).toBe(422)
})

test('messages of strangers, which full nodes pass on, are pending as those of clients', async () => {
  let seqno = chain.head + 1
  while ((await chain.messagesOf(seqno)).length === 0) seqno++
  const [boc] = await chain.messagesOf(seqno)
  const forwarder = await chain.forwardMessages()
  try {
    const trace = await waitFor('the trace of a message of a stranger', async () => {
      // Nodes are found meanwhile, and datagrams may be lost.
      await forwarder.broadcast(seqno)
      return api.pendingTrace(hashOf(boc!))
    })
    const [first] = trace.transactions_order
    expect(trace.transactions[first!]).toMatchObject({ emulated: true, finality: 'pending' })
    const { body } = await api.get('pendingTransactions', { account: trace.transactions[first!]!.account })
    const hashes = (body['transactions'] as PendingTransaction[]).map(({ in_msg }) => in_msg.hash)
    expect(hashes).toContain(parseRoot(boc!).hash().toString('base64'))
  } finally {
    await forwarder.close()
  }
})
