import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { FetchError, fetchUrl, MetadataFetcher } from '../src/index.ts'

const HERE = '127.0.0.1'
const open: { server: Server; sockets: Set<Socket> }[] = []
afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A host that says what it likes, in bytes. Returns its port. */
async function host(answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  open.push({ server, sockets })
  await new Promise<void>((resolve) => server.listen(0, HERE, resolve))
  return (server.address() as AddressInfo).port
}

/** Writes a piece as often as the socket takes it. */
const forEver = (socket: Socket, piece: string, first = '') => {
  socket.write(first)
  const timer = setInterval(() => socket.write(piece), 2)
  socket.once('close', () => clearInterval(timer))
}

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const OK = 'HTTP/1.1 200 OK\r\n'
const HOSTS: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['switches protocols', (socket) => socket.write(SWITCH)],
  ['switches protocols and goes on', (socket) => forEver(socket, SWITCH)],
  ['switches to nothing', (socket) => socket.write('HTTP/1.1 101 x\r\n\r\n')],
  ['says to continue for ever', (socket) => forEver(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
  [
    'gives early hints for ever',
    (socket) => forEver(socket, 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'),
  ],
  ['is processing for ever', (socket) => forEver(socket, 'HTTP/1.1 102 Processing\r\n\r\n')],
  ['closes without a word', (socket) => socket.end()],
  ['closes within the headers', (socket) => socket.end(`${OK}Content-Ty`)],
  ['closes after the headers', (socket) => socket.end(`${OK}Content-Length: 100\r\n\r\n{`)],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['has endless headers', (socket) => forEver(socket, `X-${'a'.repeat(100)}: b\r\n`, OK)],
  ['has one endless header', (socket) => forEver(socket, 'a', `${OK}X: `)],
  ['has an endless status line', (socket) => forEver(socket, 'a', 'HTTP/1.1 200 ')],
  ['drips its body', (socket) => forEver(socket, ' ', `${OK}Content-Length: 100000\r\n\r\n`)],
  ['drips its chunks', (socket) => forEver(socket, '1\r\n \r\n', `${OK}Transfer-Encoding: chunked\r\n\r\n`)],
  [
    'has endless trailers',
    (socket) => forEver(socket, 'A: b\r\n', `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`),
  ],
  ['does not speak HTTP', (socket) => forEver(socket, '\u0000\u0001')],
  ['says nothing', () => {}],
]

test.each(HOSTS)('a fetch from a host that %s ends at its deadline', async (_, answer) => {
  const port = await host(answer)
  const start = performance.now()
  const fetching = fetchUrl(`http://token.example:${port}/`, {
    isAllowed: () => true,
    resolve: async () => [HERE],
    timeoutMs: 300,
    firstByteTimeoutMs: 200,
  })
  await expect(fetching).rejects.toBeInstanceOf(FetchError)
  expect(performance.now() - start).toBeLessThan(10_000)
})

test('hosts that switch protocols hold no places: the same host is asked again and again', async () => {
  let asked = 0
  const port = await host((socket) => {
    asked++
    socket.write(SWITCH)
  })
  const fetcher = new MetadataFetcher({
    fetch: { isAllowed: () => true, resolve: async () => [HERE], timeoutMs: 300 },
  })
  const uri = `http://token.example:${port}/a.json`
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, () => fetcher.run({ kind: 'nft_items', content: { uri } })),
  )
  const states = new Set(outcomes.map(({ state }) => state))
  expect([...states].every((state) => state === 'failed' || state === 'busy')).toBe(true)
  expect(asked).toBeGreaterThanOrEqual(4)
})
