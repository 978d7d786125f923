import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import zlib, { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { survivors } from '@shardwalk/testkit/collect-garbage'
import express, { type RequestHandler } from 'express'
import { afterEach, expect, test, vi } from 'vitest'
import { compressReplies } from './compress-replies.ts'

const TEXT = JSON.stringify(Array.from({ length: 400 }, (_, i) => ({ i, hash: `${i * 7919}` })))
const DECODERS = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync } as const

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

async function serving(handle: RequestHandler, before?: RequestHandler): Promise<number> {
  const app = express()
  if (before) app.use(before)
  app.use(compressReplies, handle)
  const server = createServer(app).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

interface Reply extends Pick<IncomingMessage, 'headers'> {
  readonly body: Buffer
}

const agent = new Agent({ keepAlive: true })
async function ask(port: number, accepted?: string, method = 'GET'): Promise<Reply> {
  const headers = accepted === undefined ? {} : { 'Accept-Encoding': accepted }
  const [reply] = (await once(
    httpRequest({ port, host: '127.0.0.1', agent, method, headers }).end(),
    'response',
  )) as [IncomingMessage]
  const pieces: Buffer[] = []
  for await (const piece of reply) pieces.push(piece as Buffer)
  return { headers: reply.headers, body: Buffer.concat(pieces) }
}
const json: RequestHandler = (_request, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.end(TEXT)
}

test.each([
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['deflate', 'deflate'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['*', 'br'],
  ['gzip;q=1.0, br;q=1.0', 'br'],
  ['gzip;q=0.8, br;q=0.8', 'br'],
  ['deflate, gzip', 'gzip'],
  ['*;q=0.5, br;q=0', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['gzip;q=0.5, identity;q=0.5, *;q=0', 'gzip'],
  ['br;q=0', undefined],
  ['identity;q=0', undefined],
  [undefined, undefined],
  ['identity', undefined],
  ['zstd', undefined],
  ['gzip;q=0', undefined],
  ['gzip;q=0.5, identity', undefined],
])('who accepts %s gets %s', async (accepted, expected) => {
  const { headers, body } = await ask(await serving(json), accepted)
  expect([headers['content-encoding'], headers['vary']]).toEqual([expected, 'Accept-Encoding'])
  const decode = expected && DECODERS[expected as keyof typeof DECODERS]
  expect((decode ? decode(body) : body).toString()).toBe(TEXT)
  expect(headers['content-length']).toBe(expected === undefined ? String(TEXT.length) : undefined)
})

test.each<[string, RequestHandler]>([
  ['short', (_request, response) => void response.type('json').end('x'.repeat(1023))],
  ['short and announced', (_request, response) => void response.type('json').send('x'.repeat(1023))],
  ['an image', (_request, response) => void response.type('png').end(Buffer.alloc(5000))],
  ['without a type', (_request, response) => void response.end(TEXT)],
  ['encoded', (_request, response) => void response.type('json').set('Content-Encoding', 'x').end(TEXT)],
  [
    'not to be changed',
    (_request, response) =>
      void response.type('json').set('Cache-Control', 'private, no-transform').end(TEXT),
  ],
])('a reply is sent as it is when it is %s', async (_name, handle) => {
  const { headers, body } = await ask(await serving(handle), 'gzip, br')
  expect(headers['content-encoding']).toBe(_name === 'encoded' ? 'x' : undefined)
  expect(body.length).toBeGreaterThan(1000)
})

test('HEAD has the headers of a reply that is not compressed', async () => {
  const { headers, body } = await ask(
    await serving((_request, response) => void response.type('json').send(TEXT)),
    'br',
    'HEAD',
  )
  expect([headers['content-length'], headers['content-encoding'], body.length]).toEqual([
    String(TEXT.length),
    undefined,
    0,
  ])
})

test.each<[string, RequestHandler]>([
  ['with the headers', (_request, response) => void response.type('json').writeHead(201).end(TEXT)],
  [
    'after the headers',
    (_request, response) => {
      response.type('json').status(201).flushHeaders()
      setImmediate(() => response.end(TEXT))
    },
  ],
])('a reply is compressed when its body comes %s', async (_name, handle) => {
  const { headers, body } = await ask(await serving(handle), 'gzip')
  expect(headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(body).toString()).toBe(TEXT)
})

test('pieces are written no faster than they are read, and none is lost', async () => {
  const piece = `${TEXT}\n`
  let waits = 0
  const port = await serving(async (_request, response) => {
    response.setHeader('Content-Type', 'application/x-ndjson')
    for (let i = 0; i < 300; i++)
      if (!response.write(piece)) {
        waits++
        await once(response, 'drain')
      }
    response.end('end')
  })
  for (const accepted of ['gzip', 'identity']) {
    waits = 0
    const { headers, body } = await ask(port, accepted)
    const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    expect(text.toString() === `${piece.repeat(300)}end`).toBe(true)
    expect(waits).toBeGreaterThan(0)
  }
})

/** Requests, and the buffers that they needed, that are old after twenty of them. */
async function oldAfterRequests(accepted: string): Promise<number> {
  let seen: ((object: object) => void) | undefined
  const port = await serving(json, (request, _response, next) => {
    seen?.(request)
    next()
  })
  return survivors(20, async (mark) => {
    seen = mark
    await ask(port, accepted)
  })
}

test('nothing of a request becomes old because its reply may be compressed', async () => {
  expect(await oldAfterRequests('gzip')).toBeLessThan(3)
})

test.each([
  ['gzip', 'createGzip'],
  ['br', 'createBrotliCompress'],
] as const)(
  'an encoder that stays, as all do with Node.js 24, keeps neither the request nor its buffer: %s',
  async (accepted, create) => {
    const kept: unknown[] = []
    const original = zlib[create]
    const spy = vi.spyOn(zlib, create).mockImplementation((...options: Parameters<typeof original>) => {
      const encoder = original(...options)
      kept.push(encoder)
      return encoder as never
    })
    syncBuiltinESMExports()
    try {
      expect(await oldAfterRequests(accepted)).toBeLessThan(3)
      expect(kept).toHaveLength(20)
    } finally {
      spy.mockRestore()
      syncBuiltinESMExports()
    }
  },
)
