import { once } from 'node:events'
import { connect } from 'node:net'
import { mostAtOnce } from '@shardwalk/testkit'
import express, { type RequestHandler } from 'express'
import { expect, test } from 'vitest'
import { listen } from '../server.ts'
import { restBetweenPieces } from './body-pieces.ts'
import { readBytes } from './read-body.ts'

const BYTES = 8 * 1_048_576

const ways: Readonly<Record<string, RequestHandler>> = {
  'that nobody reads': (_request, response) => void response.status(503).end(),
  'that a handler reads': async (request, response) => {
    response.json((await readBytes(request, BYTES)).length)
  },
  'that a library reads': (request, response, next) => {
    restBetweenPieces(request)
    express.raw({ limit: BYTES, type: () => true })(request, response, (error) => {
      if (error) return next(error)
      response.json((request.body as Buffer).length)
    })
  },
}

test.each(Object.entries(ways))(
  'a body %s is taken in pieces, and the next request served',
  async (_, way) => {
    const app = express()
    let most = () => 0
    app.post('/', (request, response, next) => {
      most = mostAtOnce(request.socket)
      way(request, response, next)
    })
    app.get('/', (_request, response) => void response.status(204).end())
    const server = await listen(app, { host: '127.0.0.1', port: 0 })
    const socket = connect(server.port, '127.0.0.1')
    let replies = ''
    socket.setEncoding('latin1').on('data', (text) => {
      replies += text
    })
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${BYTES}\r\n\r\n`)
    socket.write(Buffer.alloc(BYTES, 0x20))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await once(socket, 'close')
    expect(replies).toMatch(/^HTTP\/1.1 (503|200 OK)[\s\S]*HTTP\/1.1 204/)
    if (!replies.startsWith('HTTP/1.1 503')) expect(replies).toContain(`\r\n\r\n${BYTES}HTTP`)
    expect(most()).toBeLessThanOrEqual(262_144)
    await server.close(0)
  },
)
