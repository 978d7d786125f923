import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { V2 } from '@shardwalk/streaming'
import type { Request } from 'express'
import { expect, test } from 'vitest'
import { STREAM_PLANS, StreamPlaces } from './stream-places.ts'
import type { Streams } from './streams.ts'
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
