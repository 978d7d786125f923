import { connect } from 'node:net'
import { createMetrics } from '@shardwalk/observability'
import express from 'express'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listen, type RunningServer } from '../server.ts'
import { limitRequest } from './request-limits.ts'

let server: RunningServer
let served = 0
const metrics = createMetrics()
beforeEach(async () => {
  served = 0
  const app = express()
  app.use(limitRequest)
  app.use(async (request, response) => {
    served++
    let length = 0
    for await (const piece of request as AsyncIterable<Buffer>) length += piece.length
    response.json({ length })
  })
  app.use(((error, _request, response, _next) => {
    response.status(error.status ?? 500).send(error.message)
  }) as express.ErrorRequestHandler)
  server = await listen(app, { host: '127.0.0.1', port: 0 }, { metrics })
})
afterEach(() => server.close(0))

/** All that is answered until the connection is closed. */
async function sent(text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  let reply = ''
  socket.on('data', (bytes) => {
    reply += bytes.toString('latin1')
  })
  socket.write(text)
  await new Promise((resolve) => socket.once('close', resolve))
  return reply
}
const LAST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const ONE = LAST.replace('Connection: close\r\n', '')
const post = (chunks: string) =>
  `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`

test('thirty requests at once are answered; a connection with a thousand is closed', async () => {
  expect((await sent(ONE.repeat(29) + LAST)).match(/HTTP\/1.1 200/g)).toHaveLength(30)
  served = 0
  await sent(ONE.repeat(1000))
  expect(served).toBeLessThanOrEqual(32)
  expect(await metrics.text()).toMatch(/cut_total\{reason="pipelining"\} 1/)
})

test('a body in chunks of a byte closes its connection; a small one, or longer chunks, do not', async () => {
  expect(await sent(post('1\r\nx\r\n'.repeat(100)))).toContain('{"length":100}')
  expect(await sent(post(`64\r\n${'x'.repeat(100)}\r\n`.repeat(5000)))).toContain('{"length":500000}')
  expect(await sent(post('1\r\nx\r\n'.repeat(20_000)))).toBe('')
  expect(await metrics.text()).toMatch(/cut_total\{reason="short chunks"\} 1/)
})

test('a URL without a path is 400, not a page of Express', async () => {
  const reply = await sent(LAST.replace('/', 'http://[::zz/'))
  expect(reply).toContain('HTTP/1.1 400')
  expect(reply).toContain('{"error":"the URL cannot be read","code":400}')
  expect(served).toBe(0)
})

test('a header that is too long is refused by name, and a query of too many values', async () => {
  const refused = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(server.url + path, { headers })
    return `${reply.status} ${await reply.text()}`
  }
  expect(await refused('/', { Accept: 'a/b,'.repeat(3000) })).toBe(
    '431 header "accept" is longer than 8192 characters',
  )
  for (const separator of ['&', ',', '%2C', '%2c'])
    expect(await refused(`/?a=${separator.repeat(10_001)}`)).toBe('422 the query has more than 10000 values')
  expect(served).toBe(0)
  const address = `0%3A${'A'.repeat(64)}`
  const lists = ['a', 'b', 'c'].map((name) => `${name}=${Array(1000).fill(address).join(',')}`)
  expect(await refused(`/?${lists.join('&')}`, { Accept: 'x'.repeat(8000) })).toBe('200 {"length":0}')
})
