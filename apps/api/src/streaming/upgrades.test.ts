import { once } from 'node:events'
import { connect } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { listen } from '../server.ts'
import { upgradeOf } from './upgrades.ts'

test('a server closes although the client of a WebSocket says nothing any more', async () => {
  const app = express()
  app.use((request) => upgradeOf(request)!.socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  const client = connect(server.port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  const [reply] = (await once(client, 'data')) as [Buffer]
  expect(reply.toString()).toContain('101')
  const gone = once(client, 'close')
  await server.close(10)
  await gone
})
