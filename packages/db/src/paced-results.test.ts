import { EventEmitter, once } from 'node:events'
import { connect, createServer } from 'node:net'
import { mostAtOnce } from '@shardwalk/testkit'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { paceResults } from './paced-results.ts'

const BYTES = 8 * 1_048_576

test('rows of a large result are taken from the connection in pieces', async () => {
  const server = createServer((socket) => socket.end(Buffer.alloc(BYTES))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stream = connect((server.address() as { port: number }).port, '127.0.0.1')
  const pool = new EventEmitter()
  paceResults(pool as unknown as pg.Pool)
  pool.emit('connect', { connection: { stream } })
  let received = 0
  stream.on('data', (piece) => {
    received += piece.length
  })
  const most = mostAtOnce(stream)
  await once(stream, 'close')
  expect(received).toBe(BYTES)
  expect(most()).toBeLessThanOrEqual(262_144)
  server.close()
})
