import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKeyPrefix, hashApiKey, insertApiKey, makeApiKey } from '@shardwalk/db'
import { randomFrom, type ScratchDatabase, sampleChainDatabase, waitFor } from '@shardwalk/testkit'
import { randomCases, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAccess } from '../../src/access/index.ts'
import type { Json } from '../client.ts'
import { type StreamingApi, startStreaming } from './moving-chain.ts'
import { SseClient, WsClient } from './stream-clients.ts'

const ADDRESSES = ['0', '1', '2', '3'].map((digit) => `0:${digit.repeat(64)}`)

let scratch: ScratchDatabase
let api: StreamingApi
let key: string
let access: ReturnType<typeof openAccess>

beforeAll(async () => {
  scratch = await sampleChainDatabase()
  key = makeApiKey()
  const stored = { keyHash: hashApiKey(key), prefix: apiKeyPrefix(key) }
  await insertApiKey(scratch.db, { ...stored, account: 'one', requestsPerSecond: 100 })
  access = openAccess({ db: scratch.db, anonymousRps: 0 })
  const plan = { connections: 2, addresses: 3 }
  api = await startStreaming(scratch, {
    access: access.middleware,
    streaming: { plans: { keyed: plan, anonymous: plan }, v1: true },
  })
})
afterAll(async () => {
  await api?.close()
  access?.close()
  await scratch?.close()
})

const sse = (body: object, version = 'v2') =>
  SseClient.open(`${api.url}/api/streaming/${version}/sse`, body, { Authorization: `Bearer ${key}` })
const ws = (query = `api_key=${key}`) => WsClient.open(`${api.url}/streaming/v2/ws?${query}`)
const wanted = (count: number) => ({ types: ['transactions'], addresses: ADDRESSES.slice(0, count) })

test('streams need a key when other requests do, in any of its forms', async () => {
  await expect(ws('')).rejects.toThrow('status 401')
  await expect(ws('token=wrong')).rejects.toThrow('status 401')
  await expect(WsClient.open(`${api.url}/streaming/v1/ws`)).rejects.toThrow('status 401')
  for (const version of ['v1', 'v2']) {
    const refused = await SseClient.open(`${api.url}/api/streaming/${version}/sse`, wanted(1))
    expect(refused.status).toBe(401)
  }
  const one = await ws(`token=${key}`)
  one.socket.close()
  await waitFor('the place', () => api.streams.places.count === 0)
})

test('the third connection of an account is refused, and a place is free at once when one ends', async () => {
  const [first, second] = [await sse(wanted(1)), await ws()]
  expect(first.status).toBe(200)
  for (const version of ['v1', 'v2']) {
    const third = await sse(wanted(1), version)
    expect([third.status, await third.error()]).toEqual([
      429,
      { error: 'connection limit reached: 2 active connections' },
    ])
  }
  const fourth = await ws()
  await waitFor('the end of the connection', () => fourth.closed)
  expect(fourth.frames).toEqual([{ error: 'connection limit reached: 2 active connections' }])
  expect(fourth.closed?.code).toBe(1008)
  second.socket.terminate()
  await waitFor('the place', () => api.streams.places.count === 1)
  const fifth = await sse(wanted(1))
  expect(fifth.status).toBe(200)
  for (const one of [first, fifth]) one.close()
  await waitFor('the places', () => api.streams.places.count === 0)
})

test('a connection has as many addresses as its plan allows, however they are written', async () => {
  const tooMany = await sse({ id: 'x', ...wanted(4) })
  expect([tooMany.status, await tooMany.error()]).toEqual([
    400,
    { error: 'too many addresses: 4 > max 3', id: 'x' },
  ])
  const socket = await ws()
  expect(await socket.ask({ operation: 'subscribe', ...wanted(4) })).toEqual({
    error: 'address limit exceeded: current 0 + new 4 > max 3',
  })
  const twice = [...wanted(3).addresses, ...wanted(3).addresses]
  expect(await socket.ask({ operation: 'subscribe', types: ['actions'], addresses: twice })).toMatchObject({
    status: 'subscribed',
  })
  socket.socket.close()
  await waitFor('the places', () => api.streams.places.count === 0)
})

test('a frame that is too large ends its connection only', async () => {
  const [large, other] = [await ws(), await ws()]
  large.socket.send('x'.repeat(1024 * 1024 + 1))
  await waitFor('the end of the connection', () => large.closed)
  expect(large.closed?.code).toBe(1009)
  expect(await other.ask({ operation: 'ping' })).toEqual({ status: 'pong' })
  other.socket.close()
  await waitFor('the places', () => api.streams.places.count === 0)
})

test('a connection that sends frames by the thousand is closed while others are answered', async () => {
  const [hasty, other] = [await ws(), await ws()]
  for (let i = 0; i < 3000; i++) hasty.socket.send('x')
  expect(await other.ask({ operation: 'ping' })).toEqual({ status: 'pong' })
  await waitFor('the end of the connection', () => hasty.closed)
  expect(hasty.closed).toEqual({ code: 1008, reason: 'too many frames' })
  expect(hasty.frames).toHaveLength(1000)
  const pinging = await ws()
  for (let i = 0; i < 3000; i++) pinging.socket.ping()
  await waitFor('the end of the connection', () => pinging.closed)
  other.socket.close()
  await waitFor('the places', () => api.streams.places.count === 0)
})

const HASHES = { trace_external_hash_norms: [Buffer.alloc(32, 1).toString('base64')] }
const WITH = { types: ['actions'], addresses: ADDRESSES.slice(0, 1) }
/** What is refused, and the words of TON Center: of its streams, then of its WebSockets. */
const REFUSALS: readonly (readonly [body: Json, sse: string, ws?: string])[] = [
  [
    { ...WITH, types: 'actions' },
    'invalid subscription request: types must be a list of texts',
    'invalid subscribe request: types must be a list of texts',
  ],
  [
    { ...WITH, min_finality: 'X' },
    'invalid subscription request: unknown finality state: X',
    'invalid subscribe request: unknown finality state: X',
  ],
  [{}, 'types are required for subscription', 'types are required'],
  [{ types: ['blocks'] }, 'invalid event type: blocks'],
  [{ types: ['actions'], addresses: ['EQ'] }, 'invalid address: EQ'],
  [{ types: ['trace'], trace_external_hash_norms: [' '] }, 'trace_external_hash_norms contains empty value'],
  [{ ...WITH, ...HASHES }, 'trace_external_hash_norms requires type "trace"'],
  [{ types: ['trace'] }, 'trace_external_hash_norms are required for trace subscription'],
  [{ types: ['actions'] }, 'addresses are required for subscription', 'addresses are required'],
  [wanted(4), 'too many addresses: 4 > max 3', 'address limit exceeded: current 0 + new 4 > max 3'],
]

for (const [body, overSse, overWs = overSse] of REFUSALS)
  test(`${JSON.stringify(body)} is refused alike over both, with the id of the request`, async () => {
    const socket = await ws()
    for (const id of [{}, { id: 'mine' }]) {
      const refused = await sse({ ...body, ...id })
      expect([refused.status, await refused.error()]).toEqual([400, { error: overSse, ...id }])
      const answer = await socket.ask({ operation: 'subscribe', ...body, ...id })
      expect(answer).toEqual({ error: overWs, ...id })
    }
    expect(await socket.ask({ operation: 'ping' })).toEqual({ status: 'pong' })
    socket.socket.close()
    await waitFor('the places', () => api.streams.places.count === 0)
  })

describe('a connection is kept alive', () => {
  let own: StreamingApi
  beforeAll(async () => {
    own = await startStreaming(scratch, { streaming: { beatMs: 20 } })
  })
  afterAll(() => own?.close())

  test('with a comment, also without a subscription or events', async () => {
    const stream = await SseClient.open(`${own.url}/api/streaming/v2/sse`, wanted(1))
    await waitFor('comments', () => stream.frames.filter(({ isComment }) => isComment).length > 1)
    expect(stream.frames[0]!.event).toBe('connected')
    stream.close()
    await waitFor('the place', () => own.streams.places.count === 0)
  })

  test('and its place is free when its peer does not answer', async () => {
    const [gone, silent] = [
      await WsClient.open(`${own.url}/api/streaming/v2/ws`),
      await WsClient.open(`${own.url}/api/streaming/v2/ws`),
    ]
    // A cable that is cut: nothing is read, and nothing is said.
    ;(gone.socket as unknown as { _socket: Socket })._socket.pause()
    await waitFor('the place', () => own.streams.places.count === 1)
    expect(silent.closed).toBeUndefined()
    expect(await silent.ask({ operation: 'ping' })).toEqual({ status: 'pong' })
    for (const { socket } of [gone, silent]) socket.terminate()
    await waitFor('the places', () => own.streams.places.count === 0)
  })
})

describe('a client that does not read', () => {
  let own: StreamingApi
  beforeAll(async () => {
    own = await startStreaming(scratch, { streaming: { partingMs: 5_000, beatMs: 200 } })
  })
  afterAll(() => own?.close())

  const many = Array.from({ length: 200 }, (_, n) => `0:${String(n).padStart(64, '0')}`)
  const body = JSON.stringify({ types: ['account_state_change'], addresses: many })
  /** More than sockets and queues hold: 256 KiB for each account. */
  async function tellMuch(): Promise<void> {
    const state = JSON.stringify({ filler: 'x'.repeat(256 * 1024) })
    for (const account of many) {
      await own.streams.hub.publish({ kind: 'account_state_change', finality: 'finalized', account, state })
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  test('over a WebSocket is closed with 1013 when 4 MiB wait, and sees it when it reads again', async () => {
    const client = await WsClient.open(`${own.url}/api/streaming/v2/ws`)
    await client.ask({ operation: 'subscribe', ...JSON.parse(body) })
    const { _socket: socket } = client.socket as unknown as { _socket: Socket }
    socket.pause()
    await tellMuch()
    socket.resume()
    await waitFor('the end', () => client.closed)
    expect(client.closed).toEqual({ code: 1013, reason: 'too slow: events were lost' })
    expect(client.events.length).toBeLessThan(many.length)
    await waitFor('the place', () => own.streams.places.count === 0)
  })

  test('of a stream is cut off too, and keeps its place for a moment only', async () => {
    const { port } = new URL(own.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.pause()
    socket.on('error', () => {})
    socket.write(
      'POST /api/streaming/v2/sse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    await waitFor('the subscription', () => own.streams.hub.subscribers.addresses === many.length)
    await tellMuch()
    await waitFor('the place', () => own.streams.places.count === 0)
    await waitFor('the subscriptions', () => own.streams.hub.subscribers.addresses === 0)
    socket.destroy()
  })
})

describe('a stream whose cable is cut', () => {
  const tables = mkdtempSync(join(tmpdir(), 'stream-tables-'))
  const table = join(tables, 'tcp')
  afterAll(() => rmSync(tables, { recursive: true }))

  test('is closed when nothing was acknowledged for a while, and no other', async () => {
    writeFileSync(table, '')
    const own = await startStreaming(scratch, {
      streaming: { beatMs: 20, tcpTables: [join(tables, 'none'), table] },
    })
    const serverPort = Number(new URL(own.url).port)
    const streams = await Promise.all(
      [1, 2].map(async () => {
        const socket = connect(serverPort, '127.0.0.1')
        socket.on('error', () => {})
        const request = JSON.stringify(wanted(1))
        socket.write(
          'POST /api/streaming/v2/sse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
            `Content-Length: ${request.length}\r\n\r\n${request}`,
        )
        const [reply] = (await once(socket, 'data')) as [Buffer]
        expect(reply.toString()).toContain('200 OK')
        return socket
      }),
    )
    const port = (value: number) => value.toString(16).toUpperCase().padStart(4, '0')
    // As Linux shows a connection that has sent something again six times, and one that waits for no answer.
    const line = (socket: Socket, again: string) =>
      `  12: 0100007F:${port(serverPort)} 0100007F:${port(socket.localPort!)} 01 0000000C:00000000 ` +
      `01:000001F4 ${again}  1000        0 4242 2 00000000ca76e76f 20 4 30 10 -1\n`
    const [cut, other] = streams as [Socket, Socket]
    writeFileSync(
      table,
      `  sl  local_address rem_address\n${line(cut, '00000006')}${line(other, '00000000')}`,
    )
    await once(cut, 'close')
    await waitFor('the place', () => own.streams.places.count === 1)
    other.destroy()
    await waitFor('the places', () => own.streams.places.count === 0)
    await own.close()
  })
})

test('at the end of the process, clients are notified', async () => {
  const own = await startStreaming(scratch)
  const socket = await WsClient.open(`${own.url}/api/streaming/v2/ws`)
  const stream = await SseClient.open(`${own.url}/api/streaming/v2/sse`, wanted(1))
  await own.close()
  await waitFor('the end of the connection', () => socket.closed)
  expect(socket.closed?.code).toBe(1001)
  await waitFor('the end of the stream', () => stream.isOver)
})

const VALUES: readonly unknown[] = [
  ...[null, 0, -1, 1e308, '', 'x', '\0', [], {}, [[]], true, ['transactions'], ['trace'], ADDRESSES],
  ...[{ toString: 1 }, '0:', `0:${'F'.repeat(64)}`, 'pending', 2 ** 31],
  ...[['x'.repeat(100_000)], Array(2000).fill('actions')],
]
const NAMES = [
  ...['types', 'addresses', 'trace_external_hash_norms', 'min_finality', 'id', 'resume_from'],
  ...['include_metadata', 'action_types', 'supported_action_types', '__proto__', 'subscriptions'],
]
const OPERATIONS = ['subscribe', 'set_subscription', 'configure', 'unsubscribe', ...VALUES]

function hostileFrame(random: () => number): string {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const body: Record<string, unknown> = { ...wanted(1), operation: one(OPERATIONS) }
  for (let i = random() * 4; i > 0; i--) body[one(NAMES)] = one(VALUES)
  return random() < 0.1 ? JSON.stringify(body).slice(0, -3) : JSON.stringify(body)
}

test.each(['v1', 'v2'])('whatever is sent by %s is answered, and leaves nothing behind', async (version) => {
  const seed = testSeed()
  const random = randomFrom(seed)
  const hostile = () => hostileFrame(random)
  const own = await startStreaming(scratch, { streaming: { v1: true } })
  const rounds = randomCases(40)
  try {
    const statuses = new Set<number>()
    for (let round = 0; round < rounds; round++)
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const stream = await SseClient.open(`${own.url}/api/streaming/${version}/sse`, hostile())
          statuses.add(stream.status)
          stream.close()
        }),
      )
    expect([...statuses].sort(), `seed ${seed}`).toEqual([200, 400])
    const socket = await WsClient.open(`${own.url}/api/streaming/${version}/ws`)
    for (let i = 0; i < 300; i++) socket.socket.send(hostile())
    expect(await socket.ask({ operation: 'ping', id: 'end' }), `seed ${seed}`).toBeDefined()
    await waitFor('an answer to every frame', () => socket.frames.some(({ id }) => id === 'end'))
    expect(socket.frames, `seed ${seed}`).toHaveLength(301)
    socket.socket.terminate()
    await waitFor('the places', () => own.streams.places.count === 0)
    await waitFor('the subscriptions', () => own.streams.hub.subscribers.addresses === 0)
  } finally {
    await own.close()
  }
})
