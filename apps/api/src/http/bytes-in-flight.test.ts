import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ByteLimits } from '@shardwalk/concurrency'
import { createMetrics, noMetrics } from '@shardwalk/observability'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { listen, type RunningServer } from '../server.ts'
import { countBytes, takePage } from './bytes-in-flight.ts'
import { HttpError } from './errors.ts'
import { readBytes } from './read-body.ts'
import { sendJson } from './reply-writer.ts'

const MEBIBYTE = 1_048_576
const LARGE = JSON.stringify('x'.repeat(8 * MEBIBYTE))

let server: RunningServer
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.close(0)
})

/** Requests wait for `waitMs` at most. */
async function start(limits: ByteLimits, { metrics = noMetrics, waitMs = 20 } = {}): Promise<void> {
  const app = express()
    .set('trust proxy', true)
    .use(countBytes(limits, metrics, waitMs))
  app.get('/large', (_request, response) => sendJson(response, LARGE))
  app.get('/small', (_request, response) => sendJson(response, '{}'))
  app.get('/page/:rows', async (request, response) => {
    await takePage(response, Number(request.params['rows']))
    sendJson(response, '[]')
  })
  app.get('/twice', async (_request, response) => {
    await takePage(response, 600)
    await takePage(response, 600)
    sendJson(response, '[]')
  })
  app.post('/', async (request, response) => sendJson(response, String((await readBytes(request)).length)))
  app.use((error: unknown, _: express.Request, response: express.Response, _next: express.NextFunction) => {
    const { status, headers } = error as HttpError
    expect(error).toBeInstanceOf(HttpError)
    response.set(headers)
    sendJson(response, '{}', status)
  })
  server = await listen(app, { host: '127.0.0.1', port: 0 })
}

/** A client that asks for the large reply and does not read it. */
async function unread(client: string): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write(`GET /large HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}
const ask = async (path: string, client: string, body?: string) => {
  const reply = await fetch(server.url + path, {
    headers: { 'X-Forwarded-For': client },
    ...(body !== undefined && { method: 'POST', body }),
  })
  await reply.arrayBuffer()
  return [reply.status, reply.headers.get('retry-after')]
}

test('beyond the limit large requests are refused, small ones answered, until memory is free', async () => {
  const metrics = createMetrics()
  await start({ bytes: 17 * MEBIBYTE, bytesPerClient: 100 * MEBIBYTE }, { metrics })
  const [first] = [await unread('192.0.2.1'), await unread('192.0.2.2')]
  expect(await ask('/large', '192.0.2.3')).toEqual([503, '1'])
  expect(await ask('/page/1000', '192.0.2.3')).toEqual([503, '1'])
  expect(await ask('/', '192.0.2.3', 'x'.repeat(MEBIBYTE))).toEqual([503, '1'])
  expect(await ask('/page/10', '192.0.2.3')).toEqual([200, null])
  expect(await ask('/small', '192.0.2.3')).toEqual([200, null])
  expect(await ask('/', '192.0.2.3', 'x'.repeat(10_000))).toEqual([200, null])
  first.destroy()
  await expect.poll(() => ask('/large', '192.0.2.3')).toEqual([200, null])
  for (const socket of sockets) socket.destroy()
  const inFlight = async () => /^shardwalk_http_bytes_in_flight (\d+)/m.exec(await metrics.text())?.[1]
  await expect.poll(inFlight).toBe('0')
})

test('a client has a limit of its own; the same machine has none', async () => {
  await start({ bytes: 100 * MEBIBYTE, bytesPerClient: 9 * MEBIBYTE })
  await unread('192.0.2.1')
  expect(await ask('/large', '192.0.2.1')).toEqual([429, '1'])
  expect(await ask('/large', '192.0.2.2')).toEqual([200, null])
  await unread('127.0.0.1')
  expect(await ask('/large', '127.0.0.1')).toEqual([200, null])
})

const LONG_MS = 60_000
const gaugeOf = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  new RegExp(`^shardwalk_http_bytes_${name} (\\d+)`, 'm').exec(await metrics.text())?.[1]

test('pages and bodies wait until memory is free, in their order, and no later one comes first', async () => {
  const metrics = createMetrics()
  await start({ bytes: 9 * MEBIBYTE, bytesPerClient: 100 * MEBIBYTE }, { metrics, waitMs: LONG_MS })
  const first = await unread('192.0.2.1')
  const answered: string[] = []
  const asked: Promise<unknown>[] = []
  for (const path of ['/page/1000', '/page/500', '/']) {
    const body = path === '/' ? 'x'.repeat(MEBIBYTE / 2) : undefined
    const reply = ask(path, `192.0.2.${asked.length + 2}`, body)
    const answer = reply.then(([status]) => {
      answered.push(path)
      return status
    })
    asked.push(answer)
    // The next one is asked for only after this one waits.
    await expect.poll(() => gaugeOf(metrics, 'waiting')).toBe(String(asked.length))
  }
  // There is room for half a mebibyte, but the page that waits longest needs more.
  expect(answered).toEqual([])
  first.destroy()
  expect(await Promise.all(asked)).toEqual([200, 200, 200])
  await expect.poll(() => gaugeOf(metrics, 'in_flight')).toBe('0')
  expect(await gaugeOf(metrics, 'waiting')).toBe('0')
})

test('a client over its own limit waits without delaying others', async () => {
  const metrics = createMetrics()
  await start({ bytes: 100 * MEBIBYTE, bytesPerClient: 9 * MEBIBYTE }, { metrics, waitMs: LONG_MS })
  const first = await unread('192.0.2.1')
  const own = ask('/page/1000', '192.0.2.1')
  await expect.poll(() => gaugeOf(metrics, 'waiting')).toBe('1')
  expect(await ask('/page/1000', '192.0.2.2')).toEqual([200, null])
  expect(await gaugeOf(metrics, 'waiting')).toBe('1')
  first.destroy()
  expect(await own).toEqual([200, null])
})

test('a client that leaves while it waits lets the next one in', async () => {
  const metrics = createMetrics()
  await start({ bytes: 9 * MEBIBYTE, bytesPerClient: 100 * MEBIBYTE }, { metrics, waitMs: LONG_MS })
  await unread('192.0.2.1')
  const leaving = new AbortController()
  const large = fetch(`${server.url}/page/1000`, { signal: leaving.signal }).catch(() => 'left')
  await expect.poll(() => gaugeOf(metrics, 'waiting')).toBe('1')
  const small = ask('/page/200', '192.0.2.3')
  await expect.poll(() => gaugeOf(metrics, 'waiting')).toBe('2')
  leaving.abort()
  expect(await large).toBe('left')
  expect(await small).toEqual([200, null])
  expect(await gaugeOf(metrics, 'waiting')).toBe('0')
})

test('a client that leaves while its request waits for more holds nothing', async () => {
  const metrics = createMetrics()
  await start({ bytes: 3 * MEBIBYTE, bytesPerClient: 100 * MEBIBYTE }, { metrics, waitMs: LONG_MS })
  const leaving = new AbortController()
  const asked = fetch(`${server.url}/twice`, { signal: leaving.signal }).catch(() => 'left')
  await expect.poll(() => gaugeOf(metrics, 'waiting')).toBe('1')
  leaving.abort()
  expect(await asked).toBe('left')
  await expect.poll(() => gaugeOf(metrics, 'waiting')).toBe('0')
  expect(await gaugeOf(metrics, 'in_flight')).toBe('0')
})
