import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { withPrototypesOf } from './express-prototypes.ts'

test('requests and replies have the prototypes of Express from the start, and work as ever', async () => {
  const app = express()
  app.use(express.text())
  app.post('/', (request, response) => {
    response.status(201).json({ body: request.body, type: request.get('content-type') })
  })
  const seen: boolean[] = []
  const server = createServer(withPrototypesOf(app), (request, response) => {
    seen.push(Object.getPrototypeOf(request) === app.request)
    seen.push(Object.getPrototypeOf(response) === app.response)
    app(request, response)
    // Express did not replace them by others.
    seen.push(Object.getPrototypeOf(request) === app.request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const headers = { 'Content-Type': 'text/plain' }
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: 'hello' })
    expect([reply.status, await reply.json()]).toEqual([201, { body: 'hello', type: 'text/plain' }])
    expect(seen).toEqual([true, true, true])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
