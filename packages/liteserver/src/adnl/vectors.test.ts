import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { AdnlKey, montgomeryU, sha256, shortId, verifySignature } from '@shardwalk/adnl'
import {
  decodeAdnl,
  decodeObject,
  encodeAdnl,
  encodeFunction,
  encodeObject,
  encodeQuery,
} from '@shardwalk/tl'
import { expect, test } from 'vitest'
import { BadFrame, buildFrame, FrameReader, MAX_FRAME } from './frames.ts'
import { acceptHello, createHello, sessionCiphers } from './handshake.ts'

const fixtures = new URL('../../../../fixtures/adnl/', import.meta.url)
const vector = JSON.parse(readFileSync(new URL('adnl-tcp.json', fixtures), 'utf8')) as Record<string, string>
const bytes = (name: string) => Buffer.from(vector[name]!, 'hex')
const run = (first: number) => Buffer.from(Array.from({ length: 32 }, (_, i) => (first + i) & 255))

const server = new AdnlKey(bytes('server_seed'))
const client = new AdnlKey(bytes('client_seed'))
const session = bytes('params')
const queryId = run(0x10)

test('keys, short id and shared secret equal the vectors', () => {
  expect(server.publicKey).toEqual(bytes('server_pub_ed25519'))
  expect(client.publicKey).toEqual(bytes('client_pub_ed25519'))
  expect(shortId(server.publicKey)).toEqual(bytes('server_short_id'))
  expect(montgomeryU(server.publicKey)).toEqual(bytes('server_x25519_pub'))
  expect(client.sharedSecret(server.publicKey)).toEqual(bytes('shared'))
  expect(server.sharedSecret(client.publicKey)).toEqual(bytes('shared'))
})

test('the handshake equals the vector and the server reads the session from it', () => {
  const hello = createHello(client, server.publicKey, session)
  expect(hello).toEqual(bytes('handshake'))
  expect(acceptHello(server, shortId(server.publicKey), hello)).toEqual(session)
})

test('a handshake with any byte changed is refused', () => {
  for (const at of [0, 31, 32, 63, 64, 95, 96, 255]) {
    const hello = createHello(client, server.publicKey, session)
    hello[at]! ^= 1
    expect(acceptHello(server, shortId(server.publicKey), hello), `byte ${at}`).toBeUndefined()
  }
})

test('a client key of small order is refused, not thrown', () => {
  const hello = createHello(client, server.publicKey, session)
  Buffer.alloc(32).copy(hello, 32)
  hello[32] = 1
  expect(acceptHello(server, shortId(server.publicKey), hello)).toBeUndefined()
})

test('messages equal the vectors', () => {
  const functionBytes = encodeFunction('liteServer.getMasterchainInfo', {})
  expect(functionBytes).toEqual(bytes('getMasterchainInfo'))
  const query = encodeQuery(functionBytes)
  expect(query).toEqual(bytes('liteServer_query'))
  expect(encodeQuery(functionBytes, { seqno: 66519407, timeoutMs: 10_000 })).toEqual(
    bytes('with_wait_prefix'),
  )
  expect(encodeAdnl('adnl.message.query', { queryId, query })).toEqual(bytes('adnl_message_query'))
  const { name, value } = decodeObject(bytes('liteServer_error'))
  expect({ name, value }).toEqual({
    name: 'liteServer.error',
    value: { code: 651, message: 'block (-1,8000000000000000,5) is not in db' },
  })
  expect(encodeAdnl('adnl.message.answer', { queryId, answer: bytes('liteServer_error') })).toEqual(
    bytes('adnl_message_answer'),
  )
})

test('the exchange of signatures equals the vector', () => {
  const ours = decodeAdnl(bytes('tcp_authentificate'))
  const theirs = decodeAdnl(bytes('tcp_authentificationNonce'))
  if (ours.name !== 'tcp.authentificate' || theirs.name !== 'tcp.authentificationNonce')
    throw new Error('misread')
  const signed = Buffer.concat([ours.value.nonce, theirs.value.nonce])
  const signature = client.sign(signed)
  const key = { kind: 'pub.ed25519', key: client.publicKey } as const
  expect(encodeAdnl('tcp.authentificationComplete', { key, signature })).toEqual(
    bytes('tcp_authentificationComplete'),
  )
  expect(verifySignature(client.publicKey, signed, signature)).toBe(true)
  expect(verifySignature(server.publicKey, signed, signature)).toBe(false)
})

test('frames of both directions equal the vectors, with cipher streams kept across frames', () => {
  const ours = sessionCiphers(session, 'client')
  const theirs = sessionCiphers(session, 'server')
  const ping = buildFrame(encodeAdnl('tcp.ping', { randomId: 0x0807060504030201n }), run(0xc0))
  expect(ping).toEqual(bytes('client_ping_plain'))
  const toServer = [ping, buildFrame(bytes('adnl_message_query'), run(0x30))]
  expect(toServer.map((frame) => ours.encrypt.update(frame))).toEqual([
    bytes('client_ping_wire'),
    bytes('query_frame_wire'),
  ])
  const pong = encodeAdnl('tcp.pong', { randomId: 0x0807060504030201n })
  const toClient = [
    buildFrame(Buffer.alloc(0), run(0xa0)),
    buildFrame(pong, run(0xe0)),
    buildFrame(bytes('adnl_message_answer'), run(0x50)),
  ]
  expect(toClient.slice(0, 2)).toEqual([bytes('server_ack_plain'), bytes('server_pong_plain')])
  const wire = toClient.map((frame) => theirs.encrypt.update(frame))
  expect(wire).toEqual([bytes('server_ack_wire'), bytes('server_pong_wire'), bytes('answer_frame_wire')])

  const reader = new FrameReader()
  const payloads = wire.flatMap((chunk) => [...reader.push(ours.decrypt.update(chunk))])
  expect(payloads).toEqual([Buffer.alloc(0), pong, bytes('adnl_message_answer')])
})

test('frames are found however the stream is split', () => {
  const payloads = [Buffer.alloc(0), run(1), Buffer.alloc(1000, 7), Buffer.alloc(0), run(9)]
  const stream = Buffer.concat(payloads.map((payload) => buildFrame(payload, run(5))))
  for (const size of [1, 3, 4, 67, 68, 69, 500, stream.length]) {
    const reader = new FrameReader()
    const read: Buffer[] = []
    for (let at = 0; at < stream.length; at += size) read.push(...reader.push(stream.subarray(at, at + size)))
    expect(read, `chunks of ${size}`).toEqual(payloads)
  }
})

test('a wrong checksum and impossible lengths break the stream', () => {
  const frame = buildFrame(run(1), run(2))
  frame[40]! ^= 1
  expect(() => [...new FrameReader().push(frame)]).toThrow(BadFrame)
  for (const length of [0, 63, MAX_FRAME + 1]) {
    const header = Buffer.alloc(4)
    header.writeUInt32LE(length)
    expect(() => [...new FrameReader().push(header)], `${length}`).toThrow(BadFrame)
  }
})

test('the recorded mainnet answers encode to the same bytes', () => {
  const info = readFileSync(new URL('masterchainInfo_26309435.bin', fixtures))
  const config = gunzipSync(readFileSync(new URL('configInfo_26309435.bin.gz', fixtures)))
  for (const answer of [info, config]) {
    const boxed = decodeObject(answer)
    expect(encodeObject(boxed.name, boxed.value)).toEqual(answer)
  }
  const { name, value } = decodeObject(info)
  if (name !== 'liteServer.masterchainInfo') throw new Error(name)
  expect(value.last.seqno).toBe(26309435)
  expect(sha256(info).length).toBe(32)
})
