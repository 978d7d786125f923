import { eventSchemas, profileRules, traceReplies } from '@shardwalk/api-schema'
import { waitFor } from '@shardwalk/testkit'
import { swept } from '@shardwalk/testkit/runs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { BusyStreams, START } from './busy-streams.ts'

let streams: BusyStreams
let chain: BusyStreams['chain']
let api: BusyStreams['api']
let busy: BusyStreams['busy']
let sse: BusyStreams['sse']
let ws: BusyStreams['ws']
let nextOfBusy: BusyStreams['nextOfBusy']
let get: BusyStreams['get']
beforeAll(async () => {
  streams = await BusyStreams.open()
  ;({ chain, api, busy, sse, ws, nextOfBusy, get } = streams)
})
afterEach(() => streams.endClients())
afterAll(() => streams?.close())

const { Action } = traceReplies(profileRules('standard'))
const { stream: EVENTS } = eventSchemas(profileRules('standard'))
/** As the AsyncAPI document describes it. */
const check = (event: Json): unknown => EVENTS[event['type'] as keyof typeof EVENTS].parse(event)

test('every event type comes over both transports, final or `confirmed`, as the tables have it', async () => {
  const types = ['transactions', 'actions', 'account_state_change', 'jettons_change']
  const wanted = { types, addresses: busy, include_address_book: true, include_metadata: true }
  const [stream, socket] = [await sse({ id: 's', ...wanted }), await ws()]
  // Lite servers show committed blocks only: what is confirmed is final.
  const confirmed = await sse({ ...wanted, min_finality: 'confirmed' })
  await waitFor('the first frame', () => confirmed.frames[0])
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.response.headers.get('x-accel-buffering')).toBe('no')
  expect(await socket.ask({ operation: 'subscribe', id: 'w', ...wanted })).toEqual({
    status: 'subscribed',
    id: 'w',
    resume_from: START,
  })
  await waitFor('the first frame', () => stream.frames[0])
  expect(stream.frames[0]).toMatchObject({ event: 'connected', data: { status: 'subscribed', id: 's' } })
  await chain.moveTo(START + 60)
  await waitFor('all blocks', () => api.streams.follower.complete === START + 60)
  const texts = (events: readonly Json[]) => events.map((event) => JSON.stringify(event))
  await waitFor('all events', () => socket.events.length === stream.events.length && socket.events.length > 0)
  expect(texts(socket.events)).toEqual(texts(stream.events))
  await waitFor('all events of a confirmed stream', () => confirmed.events.length >= stream.events.length)
  expect(texts(confirmed.events)).toEqual(texts(stream.events))
  expect(new Set(stream.events.map((event) => event['finality']))).toEqual(new Set(['finalized']))
  const of = (type: string) => stream.events.filter((event) => event['type'] === type)
  for (const type of types) {
    expect(of(type).length, type).toBeGreaterThan(0)
    for (const event of swept(of(type), 3)) check(event)
  }
  for (const event of of('transactions')) expectTransactions(event)
  for (const event of swept(of('transactions'), 5)) await expectFirstAsStored(event)
  for (const event of swept(of('actions'), 3)) expectActions(event)
  for (const event of of('account_state_change')) {
    expect(event['state']).toMatchObject({ balance: expect.stringMatching(/^\d+$/) })
    expect(event).not.toHaveProperty('address_book')
  }
  for (const event of of('jettons_change')) expectJettonWallet(event)
})

/** Only those of the accounts, the newest first. */
function expectTransactions(event: Json): void {
  const list = event['transactions'] as Json[]
  expect(list.filter(({ account }) => !busy.includes(account as string))).toEqual([])
  const lts = list.map((transaction) => BigInt(transaction['lt'] as string))
  expect(lts).toEqual([...lts].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)))
}

async function expectFirstAsStored(event: Json): Promise<void> {
  const [first] = event['transactions'] as [Json]
  const { transactions } = await get(`transactions?hash=${encodeURIComponent(first['hash'] as string)}`)
  expect(first).toEqual((transactions as Json[])[0])
  expect(Object.keys(event['address_book'] as Json)).toContain(first['account'])
}

function expectActions(event: Json): void {
  for (const action of event['actions'] as Json[]) {
    Action.parse(action)
    expect((action['accounts'] as string[]).some((account) => busy.includes(account))).toBe(true)
  }
}

function expectJettonWallet(event: Json): void {
  const { address, owner, jetton } = event['jetton'] as Record<string, string>
  expect(busy.includes(address!) || busy.includes(owner!)).toBe(true)
  expect(Object.keys(event['address_book'] as Json).sort()).toEqual([address, owner, jetton].sort())
  const decimals = JSON.stringify(event['metadata']).match(/"decimals":("?)\d/)
  if (decimals) expect(decimals[1]).toBe('"')
}

test('an account that changes several times in a block has one state event for it', async () => {
  const { rows } = await chain.scratch.pool.query(
    `select a.workchain || ':' || upper(encode(a.address, 'hex')) as raw, t.mc_block_seqno as seqno
     from transactions t join accounts a on a.id = t.account_id where t.mc_block_seqno > $1
     group by 1, 2 having count(*) > 1 order by 2 limit 1`,
    [START + 60],
  )
  const { raw, seqno } = rows[0]
  await chain.moveTo(seqno - 1)
  const stream = await sse({ types: ['account_state_change'], addresses: [raw] })
  await waitFor('the first frame', () => stream.frames[0])
  await waitFor('the blocks before', () => api.streams.follower.position === seqno - 1)
  await chain.moveTo(seqno)
  await waitFor('the block', () => api.streams.follower.position === seqno)
  await waitFor('the event', () => stream.events.length > 0)
  expect(stream.events).toHaveLength(1)
  const { rows: last } = await chain.scratch.pool.query(
    `select encode(t.state_hash_after, 'base64') as hash from transactions t
     where t.account_id = (select id from accounts where upper(encode(address, 'hex')) = $1 limit 1)
       and t.mc_block_seqno = $2 order by t.lt desc limit 1`,
    [raw.split(':')[1], seqno],
  )
  expect((stream.events[0]!['state'] as Json)['hash']).toBe(last[0].hash)
})

test('a trace is sent to who knows a hash of its message, however spelt, with tree and actions', async () => {
  const at = api.streams.follower.position!
  const { rows } = await chain.scratch.pool.query(
    `select r.external_hash_norm as hash, r.external_hash as sent, r.mc_seqno_end as seqno, r.trace_id
     from traces r join actions a on a.trace_id = r.trace_id where r.mc_seqno_end > $1 and r.nodes > 2
       and r.external_hash_norm <> r.external_hash
     order by r.mc_seqno_end limit 1`,
    [at + 1],
  )
  const { hash, sent, seqno, trace_id } = rows[0]
  const [socket, bySent] = [await ws(), await ws()]
  const ofSent = { types: ['trace'], trace_external_hash_norms: [sent.toString('hex')] }
  await bySent.ask({ operation: 'subscribe', ...ofSent })
  const forms = [hash.toString('hex'), hash.toString('base64url')]
  await socket.ask({ operation: 'subscribe', types: ['trace'], trace_external_hash_norms: forms })
  await chain.moveTo(seqno)
  const event = await waitFor('the trace', () => socket.events[0])
  expect(event).toMatchObject({
    ...{ type: 'trace', finality: 'finalized', trace_external_hash_norm: hash.toString('base64') },
    trace: { tx_hash: trace_id.toString('base64') },
  })
  const { traces } = (await get(
    `traces?trace_id=${trace_id.toString('hex')}&include_actions=true`,
  )) as never as {
    traces: { trace: Json; transactions: Json; actions: Json[] }[]
  }
  check(event)
  expect(event['trace']).toEqual(traces[0]!.trace)
  expect(event['transactions']).toEqual(traces[0]!.transactions)
  expect((event['actions'] as Json[]).length).toBe(traces[0]!.actions.length)
  expect(socket.events).toHaveLength(1)
  expect(bySent.events).toEqual(socket.events)
  const away = await sse({ ...ofSent, resume_from: seqno - 1 })
  const { resume_from: _, ...same } = event
  expect(await waitFor('the trace', () => away.events[0])).toEqual(same)
})

describe('a client that was away', () => {
  test('gets everything after the block that it names, then goes on', async () => {
    const from = api.streams.follower.position!
    const types = ['transactions', 'actions', 'account_state_change', 'jettons_change']
    const live = await sse({ types, addresses: busy })
    await waitFor('the first frame', () => live.frames[0])
    // It never receives an event.
    const gone = await ws()
    const subscribed = await gone.ask({ operation: 'subscribe', types, addresses: busy })
    gone.socket.close()
    await chain.moveTo(from + 30)
    await waitFor('all blocks', () => api.streams.follower.complete === from + 30)
    const late = await sse({ types, addresses: busy }, { 'Last-Event-ID': String(from) })
    const socket = await ws()
    const { resume_from } = subscribed
    expect(resume_from).toBe(from)
    const asked = { operation: 'subscribe', types, addresses: busy, resume_from }
    expect(await socket.ask(asked)).toEqual({ status: 'subscribed' })
    const subjectsOf = (events: readonly Json[]) =>
      new Set(
        events.map(({ type, trace_external_hash_norm: key, account, jetton }) =>
          [type, key, account, (jetton as Json | undefined)?.['address']].join(' '),
        ),
      )
    const expected = [...subjectsOf(live.events)]
    expect(expected.length).toBeGreaterThan(3)
    for (const events of [() => late.events, () => socket.events])
      await waitFor('what was missed', () => expected.every((key) => subjectsOf(events()).has(key)))
    await expect
      .poll(() => socket.ask({ operation: 'ping' }))
      .toEqual({ status: 'pong', resume_from: from + 30 })
    // A comment, sent while nothing happens, names the last block itself.
    const ids = live.frames
      .filter(({ id, isComment }) => id !== undefined && !isComment)
      .map(({ id }) => Number(id))
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(ids.every((id) => id >= from && id < from + 30)).toBe(true)
    const isLater = ({ resume_from }: Json) => (resume_from as number) >= from + 30
    await chain.moveTo(await nextOfBusy())
    await waitFor('events that follow', () => late.events.some(isLater))
  })

  test('delays nobody: events go out while many wait for their turn at history', async () => {
    const { resumes, follower } = api.streams.events
    const from = follower.position!
    const types = ['transactions', 'account_state_change']
    let read = () => {}
    const reading = resumes.take('history', () => new Promise<void>((resolve) => (read = resolve)))
    const away = await Promise.all(
      Array.from({ length: 20 }, () => sse({ types, addresses: busy, resume_from: from - 20 })),
    )
    const live = await ws()
    await live.ask({ operation: 'subscribe', types, addresses: busy })
    await waitFor('all in the queue', () => resumes.waiting === away.length)
    const next = await nextOfBusy()
    await chain.moveTo(next)
    await waitFor('live events', () => live.events.some(({ type }) => type === 'transactions'))
    expect(resumes.waiting).toBe(away.length)
    for (const { events } of away) expect(events).toEqual([])
    read()
    await reading
    const isLive = ({ transactions }: Json) =>
      (transactions as Json[] | undefined)?.some(({ mc_block_seqno }) => mc_block_seqno === next) === true
    for (const one of away) {
      await waitFor('what followed', () => one.events.some(isLive))
      expect(one.events.findIndex(isLive), 'events that were missed').toBeGreaterThan(0)
    }
    await waitFor('nobody waits', () => resumes.waiting === 0)
  })

  test('gets an error when the block is not indexed', async () => {
    const body = { types: ['transactions'], addresses: busy, resume_from: 0 }
    const refused = await sse(body)
    expect(refused.status).toBe(400)
    const indexed = { from: 1, to: expect.any(Number) }
    expect(await refused.error()).toEqual({
      ...{ error: expect.stringMatching(/^resume_from 0 is not indexed: 1 to \d+ are$/), indexed },
    })
    const socket = await ws()
    await socket.ask({ operation: 'subscribe', types: ['transactions'], addresses: busy })
    expect(await socket.ask({ operation: 'subscribe', id: 's', ...body })).toEqual({
      ...{ id: 's', error: expect.stringMatching(/^resume_from 0 is not indexed: 1 to \d+ are$/), indexed },
    })
    await chain.moveTo(await nextOfBusy())
    await waitFor('events of what it was subscribed to before', () => socket.events.length > 0)
  })

  test('is told what is indexed when the block is far beyond the newest', async () => {
    const from = 2 ** 31 - 1
    const beyond = { types: ['transactions'], addresses: busy, resume_from: from }
    const socket = await ws()
    const [refused, answer] = await Promise.all([
      sse(beyond),
      socket.ask({ operation: 'subscribe', ...beyond }),
    ])
    // It would be refused for as long as it is repeated.
    expect([refused.status, refused.response.headers.get('retry-after')]).toEqual([400, null])
    const error = expect.stringMatching(`^resume_from ${from} is far beyond what is indexed: 1 to \\d+ are$`)
    const indexed = { from: 1, to: expect.any(Number) }
    // The newest block may be another one by then.
    for (const one of [answer, await refused.error()]) expect(one).toEqual({ error, indexed })
  })
})

test('who has unsubscribed from the last address stays, and receives nothing', async () => {
  const [left, stayed] = [await ws(), await ws()]
  const wanted = { operation: 'subscribe', types: ['transactions', 'account_state_change'], addresses: busy }
  for (const socket of [left, stayed]) await socket.ask(wanted)
  expect(await left.ask({ operation: 'unsubscribe', id: 'u', addresses: busy })).toEqual({
    ...{ status: 'unsubscribed', id: 'u', resume_from: expect.any(Number) },
  })
  await chain.moveTo(await nextOfBusy())
  await waitFor('events', () => stayed.events.length > 0)
  expect(await left.ask({ operation: 'ping' })).toMatchObject({ status: 'pong' })
  expect(left.events).toEqual([])
})
