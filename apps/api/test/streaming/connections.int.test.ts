import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { waitFor } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { BusyStreams } from './busy-streams.ts'
import { SseClient } from './stream-clients.ts'

/** Requests that are no subscription, and connections of which nobody takes care any more. */

let streams: BusyStreams
beforeAll(async () => {
  streams = await BusyStreams.open()
})
afterEach(() => streams.endClients())
afterAll(() => streams?.close())

describe('requests that are no subscription', () => {
  test('get the status and the words of TON Center', async () => {
    const path = `${streams.api.url}/api/streaming/v2`
    const got = await fetch(`${path}/sse`)
    expect([got.status, await got.text()]).toEqual([405, 'Method Not Allowed'])
    const plain = await fetch(`${path}/ws`)
    expect([plain.status, await plain.text()]).toEqual([426, 'Upgrade Required'])
    for (const method of ['POST', 'DELETE']) {
      const other = await fetch(`${path}/ws`, { method })
      expect([other.status, await other.text()]).toEqual([426, 'Upgrade Required'])
    }
    expect((await fetch(`${path}/none`, { method: 'POST' })).status).toBe(404)
    const wrong: [unknown, string][] = [
      ['{', 'invalid subscription request: '],
      [{ id: 'x', types: ['blocks'] }, 'invalid event type: blocks'],
      [{ types: ['actions'], addresses: ['x'] }, 'invalid address: x'],
    ]
    for (const [body, error] of wrong) {
      const refused = await streams.sse(body)
      expect(refused.status).toBe(400)
      const reply = await refused.error()
      expect(reply['error']).toContain(error)
      expect(reply['id']).toBe((body as Json)['id'])
    }
    const typed = await streams.sse({ types: ['actions'] }, { 'Content-Type': 'text/plain' })
    expect([typed.status, (await typed.error())['error']]).toEqual([
      400,
      'invalid subscription request: Content-Type must be application/json',
    ])
    const preflight = await fetch(`${path}/sse`, { method: 'OPTIONS' })
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/X-API-Key.*Last-Event-ID/)
  })

  test('may offer HTTP/2, which is passed over', async () => {
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(new URL(streams.api.url).port as never as number, '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        // Current versions of Node.js keep the connection.
        if (text.endsWith('}')) socket.end()
      })
      socket.on('end', () => resolve(text)).on('error', reject)
      const body = '{"types":[]}'
      socket.write(
        'POST /api/streaming/v2/sse HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n' +
          'Upgrade: h2c\r\nHTTP2-Settings: AA\r\nContent-Type: application/json\r\n' +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      )
    })
    expect(reply).toMatch(/^HTTP\/1.1 400 /)
    expect(reply).toContain('types are required for subscription')
  })
})

test('the health of streams is that of their reader', async () => {
  for (const base of ['/api/streaming', '/streaming']) {
    const reply = await fetch(`${streams.api.url}${base}/healthz`)
    expect(reply.status).toBe(200)
    expect(await reply.json()).toMatchObject({ ok: true, components: { 'block-reader': { ok: true } } })
  }
})

test('a client that vanishes leaves nothing behind', async () => {
  await waitFor('all places', () => streams.api.streams.places.count === 0)
  const all = await Promise.all([
    ...Array.from({ length: 20 }, () => streams.sse({ types: ['transactions'], addresses: streams.busy })),
    ...Array.from({ length: 20 }, () => streams.ws()),
  ])
  expect(streams.api.streams.places.count).toBe(40)
  for (const one of all) {
    if (one instanceof SseClient) one.close()
    else one.socket.terminate()
  }
  await waitFor('all places', () => streams.api.streams.places.count === 0)
  await waitFor('the subscriptions', () => streams.api.streams.hub.subscribers.addresses === 0)
})

test('a client that does not read delays nobody', async () => {
  const { port } = new URL(streams.api.url)
  const from = streams.api.streams.follower.position!
  const body = JSON.stringify({ types: ['transactions'], addresses: streams.busy, resume_from: 1 })
  const stuck = httpRequest({
    ...{ port, method: 'POST', path: '/api/streaming/v2/sse' },
    headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
  })
  const paused = await new Promise<IncomingMessage>((resolve) => {
    stuck.on('response', (response) => resolve(response.pause()))
    stuck.end(body)
  })
  const other = await streams.ws()
  await other.ask({ operation: 'subscribe', types: ['transactions'], addresses: streams.busy })
  await streams.chain.moveTo(from + 60)
  await waitFor('all blocks', () => streams.api.streams.follower.position === from + 60)
  await waitFor('events', () => other.events.length > 0)
  expect(paused.statusCode).toBe(200)
  stuck.destroy()
})
