import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { collectGarbage } from '@shardwalk/testkit/collect-garbage'
import { afterEach, expect, test } from 'vitest'
import { answerBrokenRequests } from './broken-requests.ts'

const SILENT_MS = 50
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that waits 50 ms for headers, and a connection to it. */
async function opened(
  answer: RequestListener = (request, response) => response.end(request.url),
): Promise<{ server: Server; client: Socket }> {
  const times = { connectionsCheckingInterval: 10, headersTimeout: 50, keepAliveTimeout: 600_000 }
  const options = { maxHeaderSize: 1_024, ...times }
  const server = createServer(options, answer)
  answerBrokenRequests(server, SILENT_MS)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(client, 'connect')
  return { server, client }
}

test('a connection that was opened in advance is used when the time for headers is over', async () => {
  const { server, client } = await opened()
  await once(server, 'clientError')
  client.write('GET /late HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  expect(await text(client)).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*\r\n\r\n\/late$/)
})

test('a connection on which nothing is ever sent is closed without a reply', async () => {
  const { client } = await opened()
  expect(await text(client)).toBe('')
})

test.each([
  ['half a header', 'GET / HTTP/1.1\r\nHost:', 408],
  ['a length that is no number', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
  ['nonsense', 'hello\r\n\r\n', 400],
  ['a header that is too long', `GET / HTTP/1.1\r\nHost: ${'a'.repeat(2_000)}\r\n\r\n`, 431],
])('%s is refused as JSON', async (_what, sent, status) => {
  const { client } = await opened()
  client.write(sent)
  const [head = '', body = ''] = (await text(client)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(JSON.parse(body)).toEqual({ ok: false, error: expect.any(String), code: status })
})

test('nothing is written into a reply that has begun', async () => {
  const { client } = await opened((_request, response) => {
    response.writeHead(200, { 'Content-Length': 9 }).write('begun')
  })
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(client, 'readable')
  client.write('nonsense\r\n\r\n')
  expect((await text(client)).split('\r\n\r\n')[1]).toBe('begun')
})

test('a connection that stays open keeps nothing of a request that is over', async () => {
  const replies: WeakRef<object>[] = []
  const { client } = await opened((request, response) => {
    replies.push(new WeakRef(response))
    response.end(request.url)
  })
  client.write('GET /kept HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(client, 'readable')
  const isGone = () => {
    collectGarbage()
    return replies[0]!.deref() === undefined
  }
  await expect.poll(isGone).toBe(true)
  expect(client.closed).toBe(false)
})
