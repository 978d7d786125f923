import { decodeAnswer, encodeFunction, encodeQuery } from '@shardwalk/tl'
import { afterEach, expect, test } from 'vitest'
import { type AdnlConnection, type ConnectOptions, connectAdnl } from '../src/adnl/client.ts'
import type { AdnlServerOptions } from '../src/adnl/server.ts'
import { serverAddress } from '../src/config/server-address.ts'
import { AdnlServer, QueryTimeout, TransportError } from '../src/index.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close()
})

const BIG = Buffer.alloc(511_376, 'block')
/** Echoes the query, or returns a large buffer for the query `big`. */
const echo: AdnlServerOptions['handler'] = (query) => (query.toString() === 'big' ? BIG : query)

async function pair(options: Partial<AdnlServerOptions> = {}, connect: ConnectOptions = {}) {
  const server = new AdnlServer({ handler: echo, ...options })
  open.push(server)
  const address = await server.listen()
  const client = await connectAdnl(address, connect)
  open.push(client)
  return { server, client, address }
}
const ask = (client: AdnlConnection, text: string, timeoutMs = 5000) =>
  client.query(Buffer.from(text), { timeoutMs })

test('queries are pipelined and answers matched in any order', async () => {
  const release: (() => void)[] = []
  const { client } = await pair({
    handler: (query) => new Promise((resolve) => release.push(() => resolve(query))),
  })
  const answers = ['a', 'b', 'c'].map((text) => ask(client, text))
  expect(client.inFlight).toBe(3)
  await expect.poll(() => release.length).toBe(3)
  for (const go of release.reverse()) go()
  expect((await Promise.all(answers)).map(String)).toEqual(['a', 'b', 'c'])
  expect(client.inFlight).toBe(0)
})

test('a large answer arrives whole between small ones', async () => {
  const { client } = await pair()
  const [a, big, b] = await Promise.all([ask(client, 'a'), ask(client, 'big'), ask(client, 'b')])
  expect([String(a), big.equals(BIG), String(b)]).toEqual(['a', true, 'b'])
})

test.each([
  ['keep-alives before every frame', { emptyFrames: true }],
  ['hello and first answer in one segment', { holdAcknowledgement: true }],
  ['one byte per segment', { byteSegments: true }],
  ['all of them', { emptyFrames: true, byteSegments: true }],
] as const)('%s: answers are unchanged', async (_, faults) => {
  const server = new AdnlServer({ handler: echo, faults })
  open.push(server)
  // With authentication, the server sends a non-empty frame before the client counts as connected.
  const client = await connectAdnl(await server.listen(), { clientSeed: Buffer.alloc(32, 1) })
  open.push(client)
  expect(String(await ask(client, 'question'))).toBe('question')
})

test('the server knows an authenticated client by its key', async () => {
  const keys: (Buffer | undefined)[] = []
  const handler: AdnlServerOptions['handler'] = (query, { clientKey }) => {
    keys.push(clientKey)
    return query
  }
  const { client } = await pair({ handler }, { clientSeed: Buffer.alloc(32, 7) })
  await ask(client, 'q')
  const other = await pair({ handler })
  await ask(other.client, 'q')
  expect(keys[0]?.length).toBe(32)
  expect(keys[1]).toBeUndefined()
})

test('an unanswered query ends with QueryTimeout and leaves the connection usable', async () => {
  const { client, server } = await pair({
    faults: { onQuery: (_, i) => (i === 0 ? { kind: 'drop' } : undefined) },
  })
  await expect(ask(client, 'a', 30)).rejects.toBeInstanceOf(QueryTimeout)
  expect(String(await ask(client, 'b'))).toBe('b')
  expect(server.connections).toBe(1)
})

test('duplicate and unknown query ids are ignored', async () => {
  const kinds = ['duplicate', 'unknown-id'] as const
  const { client } = await pair({
    faults: { onQuery: (_, i) => (kinds[i] ? { kind: kinds[i] } : undefined) },
  })
  expect(String(await ask(client, 'a'))).toBe('a')
  await expect(ask(client, 'b', 30)).rejects.toBeInstanceOf(QueryTimeout)
  expect(String(await ask(client, 'c'))).toBe('c')
})

test.each([
  ['a wrong checksum', { kind: 'bad-checksum' }],
  ['a close in the middle of a frame', { kind: 'close', bytes: 50 }],
] as const)('%s fails every outstanding query at once', async (_, fault) => {
  const { client } = await pair({ faults: { onQuery: (_, i) => (i === 2 ? fault : { kind: 'drop' }) } })
  const results = await Promise.allSettled(['a', 'b', 'c'].map((text) => ask(client, text)))
  for (const result of results) expect(result).toMatchObject({ reason: expect.any(TransportError) })
  expect(await client.closed).toBeInstanceOf(TransportError)
  await expect(ask(client, 'd')).rejects.toBeInstanceOf(TransportError)
})

test('a delayed answer and an error answer are delivered', async () => {
  const faults = [
    { kind: 'delay', ms: 20 },
    { kind: 'error', code: 228, message: 'ratelimit' },
  ] as const
  const { client } = await pair({ faults: { onQuery: (_, i) => faults[i] } })
  expect(String(await ask(client, 'a'))).toBe('a')
  const answer = decodeAnswer('liteServer.getTime', await ask(client, 'b'))
  expect(answer).toEqual({ ok: false, error: { code: 228, message: 'ratelimit' } })
})

test('an idle connection is pinged and the round trip measured', async () => {
  const { client } = await pair({}, { pingAfterMs: 10, deadAfterMs: 2000 })
  await expect.poll(() => client.pingMs).toBeGreaterThan(0)
  expect(String(await ask(client, 'still there'))).toBe('still there')
})

test('a server that answers neither queries nor pings is abandoned', async () => {
  const { client, server } = await pair({}, { pingAfterMs: 20, deadAfterMs: 60 })
  server.faults = { mute: true }
  await expect(ask(client, 'a')).rejects.toThrow(/silent for/)
})

test('connecting fails with TransportError: no listener, wrong key, refusal, silent server', async () => {
  const server = new AdnlServer({ handler: echo })
  open.push(server)
  const address = await server.listen()
  await expect(connectAdnl({ ...address, publicKey: Buffer.alloc(32, 9) })).rejects.toBeInstanceOf(
    TransportError,
  )
  server.faults = { refuse: true }
  await expect(connectAdnl(address)).rejects.toBeInstanceOf(TransportError)
  server.faults = { mute: true }
  await expect(connectAdnl(address, { connectTimeoutMs: 40 })).rejects.toThrow(/not connected within 40 ms/)
  await server.close()
  await expect(connectAdnl(address)).rejects.toBeInstanceOf(TransportError)
})

test('connecting and asking stop when aborted', async () => {
  const server = new AdnlServer({ handler: () => undefined })
  open.push(server)
  const address = await server.listen()
  const client = await connectAdnl(address)
  open.push(client)
  const abort = new AbortController()
  const asked = client.query(Buffer.from('q'), { timeoutMs: 5000, signal: abort.signal })
  server.faults = { mute: true }
  const connecting = connectAdnl(address, { signal: abort.signal })
  abort.abort(new Error('enough'))
  await Promise.all([expect(asked).rejects.toThrow('enough'), expect(connecting).rejects.toThrow(/aborted/)])
  expect(client.inFlight).toBe(0)
})

test('the published ton-lite-client can use the server', async () => {
  const { LiteClient, LiteSingleEngine } = await import('ton-lite-client')
  const { encodeAnswer, decodeFunction, decodeQuery } = await import('@shardwalk/tl')
  const server = new AdnlServer({
    handler: (query) => {
      const call = decodeFunction(decodeQuery(query).functionBytes)
      return call.name === 'liteServer.getTime' ? encodeAnswer(call.name, { now: 1234 }) : undefined
    },
  })
  open.push(server)
  const { host, port, publicKey } = await server.listen()
  const engine = new LiteSingleEngine({ host: `tcp://${host}:${port}`, publicKey })
  await new Promise((resolve) => engine.once('ready', resolve))
  expect(await new LiteClient({ engine }).getCurrentTime()).toBe(1234)
  engine.close()
  await expect.poll(() => server.connections).toBe(0)
})

test('query bytes reach the handler unchanged', async () => {
  const seen: Buffer[] = []
  const { client } = await pair({
    handler: (query) => {
      seen.push(query)
      return query
    },
  })
  const query = encodeQuery(encodeFunction('liteServer.getVersion', {}))
  await client.query(query, { timeoutMs: 1000 })
  expect(seen).toEqual([query])
  expect(serverAddress('::1', 5, Buffer.alloc(32)).name).toBe('[::1]:5')
})
