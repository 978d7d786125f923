import { once } from 'node:events'
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createMetrics } from '@shardwalk/observability'
import { ReplySize } from '@shardwalk/replies'
import { isLong } from '@shardwalk/testkit/runs'
import express, { type Express } from 'express'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { listen, type RunningServer, type ServerLimits } from '../server.ts'
import { admission } from './admission.ts'
import { writePage } from './reply-writer.ts'

const ROW = JSON.stringify({ text: 'x'.repeat(1000) })
const MAX = 1_000_000_000
/** Rows of a page that takes a while. */
const LONG_PAGE = isLong ? 100_000 : 25_000

let server: RunningServer
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.close(0)
})

/** Serves an endpoint with this many rows and counts the rows rendered. */
async function serve(rows: number, limits: Partial<ServerLimits> = {}) {
  const metrics = createMetrics()
  const rendered = { rows: 0 }
  const app = express()
  app.get('/', async (_request, response) => {
    function* items() {
      for (; rendered.rows < rows; rendered.rows++) yield ROW
    }
    const page = { items: items(), fields: async () => ({ count: String(rendered.rows) }) }
    await writePage(response, { key: 'rows', page, maxBytes: MAX })
  })
  server = await listen(app, { host: '127.0.0.1', port: 0 }, { ...limits, metrics })
  return { metrics, rendered }
}

/** Sends a request and reads nothing. */
async function ask(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1')
    .pause()
    .on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  return socket
}

describe('pages', () => {
  test.each([0, 1, 3, 5000])('a page of %d rows is one JSON document', async (rows) => {
    await serve(rows)
    const reply = await fetch(server.url)
    const body = (await reply.json()) as { rows: unknown[]; count: number }
    expect(body.rows).toHaveLength(rows)
    expect(body.count).toBe(rows)
    // Short replies have a length; long ones are streamed.
    expect(reply.headers.has('content-length')).toBe(rows < 100)
  })

  test('rows are rendered no faster than the client reads', async () => {
    const { rendered } = await serve(1_000_000)
    await ask()
    let before = -1
    const isStill = () => {
      const same = rendered.rows > 0 && rendered.rows === before
      before = rendered.rows
      return same
    }
    await expect.poll(isStill, { interval: 300, timeout: 20_000 }).toBe(true)
    // Roughly what socket buffers hold, of a gigabyte.
    expect(rendered.rows).toBeLessThan(30_000)
  })

  test('other requests are answered while a long page is being written', async () => {
    await serve(LONG_PAGE)
    let done = false
    const long = fetch(server.url)
      .then((reply) => reply.text())
      .finally(() => {
        done = true
      })
    let answered = 0
    while (!done) {
      await new Promise((resolve) => get(`${server.url}/other`, (reply) => reply.resume().on('end', resolve)))
      if (!done) answered++
    }
    expect((await long).length).toBeGreaterThan(1_000 * LONG_PAGE)
    expect(answered).toBeGreaterThan(5)
  })

  test('a reply that would be too large is refused with advice on how to reduce it', () => {
    const size = new ReplySize(64 * 1_048_576)
    size.expect(64 * 1_048_576, '')
    expect(() => size.expect(321_000_000, 'leave out `include_transactions`')).toThrow(
      'the reply would have about 306 MiB, the limit is 64 MiB: leave out `include_transactions`',
    )
  })
})

const readers = { stalledMs: 400, minBytesPerSecond: 0, windowMs: 60_000 }

describe('slow readers', () => {
  test('a connection that reads nothing is closed, and its resources are freed', async () => {
    const { metrics } = await serve(1_000_000, { readers })
    const socket = await ask()
    // A paused socket does not notice that it was closed; once it reads, it does.
    await expect.poll(() => metrics.text()).toMatch(/cut_total\{reason="slow reader"\} 1/)
    socket.resume()
    await once(socket, 'close')
  })

  test('a connection that reads too slowly is closed', async () => {
    const slow = { stalledMs: 60_000, minBytesPerSecond: 1e12, windowMs: 500 }
    const { metrics } = await serve(1_000_000, { readers: { ...slow, stalledMs: 4_000 } })
    const socket = await ask()
    const reading = setInterval(() => socket.read(65_536), 20)
    await expect.poll(() => metrics.text()).toMatch(/slow reader"\} 1/)
    clearInterval(reading)
  })

  test('the time before a connection was opened does not count', async () => {
    // As in a process that has run for decades.
    const uptime = vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
    const { metrics } = await serve(1_000_000, {
      readers: { stalledMs: 2_000, minBytesPerSecond: 1e12, windowMs: 60_000 },
    })
    const from = Date.now()
    await ask()
    await expect.poll(() => metrics.text()).toMatch(/reader"\} 1/)
    expect(Date.now() - from).toBeGreaterThan(1_900)
    uptime.mockRestore()
  })

  test('a connection that reads fast enough stays open', async () => {
    await serve(200_000, { readers: { ...readers, minBytesPerSecond: 16_384, windowMs: 300 } })
    expect((await (await fetch(server.url)).text()).length).toBeGreaterThan(200_000_000)
  })
})

test('connections over the limit of an address are closed; exempt peers may have more', async () => {
  const { metrics } = await serve(1, { connectionsPerClient: 2, isExempt: () => false })
  const [first, , third] = [await ask(), await ask(), await ask()]
  third.resume()
  await once(third, 'close')
  expect(await metrics.text()).toMatch(/cut_total\{reason="too many"\} 1/)
  first.resume().destroy()
  const again = async () => (await fetch(server.url, { headers: { connection: 'close' } })).status
  await expect.poll(again).toBe(200)
})

describe('concurrent requests', () => {
  const start = async (limits: { requests: number; requestsPerClient: number }) => {
    const app: Express = express()
    app.set('trust proxy', ['127.0.0.1'])
    app.use(admission(limits, createMetrics()))
    app.get('/quick', (_request, response) => void response.send('ok'))
    let waiting = 0
    app.get('/slow', () => void waiting++)
    server = await listen(app, { host: '127.0.0.1', port: 0 })
    const hang = async (from: string) => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {})
      sockets.push(socket)
      const before = waiting
      socket.write(`GET /slow HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n\r\n`)
      await expect.poll(() => waiting).toBe(before + 1)
      return socket
    }
    const quick = async (from: string) =>
      (await fetch(`${server.url}/quick`, { headers: { 'X-Forwarded-For': from } })).status
    return { hang, quick }
  }

  test('are limited per client; a client that disconnects frees its slot at once', async () => {
    const { hang, quick } = await start({ requests: 100, requestsPerClient: 2 })
    await hang('192.0.2.1')
    const second = await hang('192.0.2.1')
    expect(await quick('192.0.2.1')).toBe(429)
    expect(await quick('192.0.2.2')).toBe(200)
    second.destroy()
    await expect.poll(() => quick('192.0.2.1')).toBe(200)
  })

  test('are limited in total', async () => {
    const { hang, quick } = await start({ requests: 2, requestsPerClient: 100 })
    await hang('192.0.2.1')
    await hang('192.0.2.2')
    expect(await quick('192.0.2.3')).toBe(503)
  })
})
