import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { EventHub, Outbox, Subscriber, V2 } from '@shardwalk/streaming'
import type { Request } from 'express'
import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { STREAM_PLANS, StreamPlaces } from './stream-places.ts'
import type { Connection, Streams } from './streams.ts'
import { WebSockets } from './websocket.ts'

const headers = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
}

test('a client that has left before it is accepted takes no place', async () => {
  const places = new StreamPlaces(STREAM_PLANS)
  const sockets = new WebSockets({ places } as Streams)
  const request = { method: 'GET', ip: '192.0.2.1', headers, get: () => undefined } as unknown as Request
  for (let i = 0; i < 3; i++) {
    const socket = new PassThrough()
    socket.destroy()
    await once(socket, 'close')
    sockets.accept({ request, protocol: V2, socket, head: Buffer.alloc(0) })
  }
  expect(places.count).toBe(0)
})

test('of a client that sent too many frames nothing more is read, whatever it waited for', async () => {
  let endCheck = () => {}
  const check = new Promise<void>((resolve) => {
    endCheck = resolve
  })
  const streams = {
    places: new StreamPlaces(STREAM_PLANS),
    hub: new EventHub({ now: () => 0, describe: async () => undefined, rest: async () => {} }),
    events: { checkResume: () => check, resume: () => {} },
    connect: ({ transport }: Connection) => new Subscriber(new Outbox(transport), V2),
    disconnect: () => {},
  }
  const sockets = new WebSockets(streams as unknown as Streams)
  const server = createServer().listen(0, '127.0.0.1')
  server.on('upgrade', (request, socket, head) => {
    const asked = Object.assign(request, { ip: '192.0.2.1', get: () => undefined })
    sockets.accept({ request: asked as unknown as Request, protocol: V2, socket, head })
  })
  await once(server, 'listening')
  const [paused, resumed] = (['pause', 'resume'] as const).map((name) => vi.spyOn(WebSocket.prototype, name))
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    await once(client, 'open')
    const wanted = { types: ['transactions'], addresses: [`0:${'A'.repeat(64)}`], resume_from: 1 }
    for (let i = 0; i < 999; i++) client.send('x')
    const { _socket: socket } = client as unknown as { readonly _socket: Socket }
    // In one piece, of which the end is there when the check begins.
    socket.cork()
    client.send(JSON.stringify({ operation: 'subscribe', ...wanted }))
    for (let i = 0; i < 9; i++) client.send('x')
    socket.uncork()
    // One pause for the check, one for the refusal.
    await vi.waitFor(() => expect(paused).toHaveBeenCalledTimes(2))
    endCheck()
    await check
    await vi.waitFor(() => expect(client.readyState).not.toBe(client.OPEN))
    expect(resumed).not.toHaveBeenCalled()
  } finally {
    vi.restoreAllMocks()
    client.terminate()
    server.close()
  }
})
