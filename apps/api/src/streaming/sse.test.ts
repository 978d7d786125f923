import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Outbox, Refused, type Subscriber, type Transport, V1, V2 } from '@shardwalk/streaming'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { answerStream } from './sse.ts'
import { STREAM_PLANS, StreamPlaces } from './stream-places.ts'
import type { Streams } from './streams.ts'

const BODY = { types: ['transactions'], addresses: [`0:${'A'.repeat(64)}`] }

let server: Server | undefined
afterEach(() => server?.close())

/** Serves streams of which none can resume. Returns a client, and the blocks from which it wanted to. */
async function serve(plans = STREAM_PLANS) {
  const resumed: number[] = []
  const checkResume = async (from: number) => {
    resumed.push(from)
    throw new Refused('not indexed')
  }
  const streams = { places: new StreamPlaces(plans), events: { checkResume } } as unknown as Streams
  const answers: Promise<void>[] = []
  const app = express().post('/', (request, response) => {
    if (request.get('X-Leaves')) request.once('end', () => request.socket.destroy())
    answers.push(answerStream({ streams, protocol: V2, request, response }))
  })
  const own = createServer(app)
  server = own
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}`
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const reply = await fetch(url, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } },
      body: JSON.stringify(body),
    })
    return { status: reply.status, ...((await reply.json()) as { readonly error: string }) }
  }
  return { post, resumed, answers, places: streams.places }
}

test('a client that repeats its body goes on from the last event that it names', async () => {
  const { post, resumed } = await serve()
  const last = { 'Last-Event-ID': '20' }
  await post({ ...BODY, resume_from: 10 }, last)
  await post({ ...BODY, resume_from: null }, last)
  await post(BODY, last)
  await post({ ...BODY, resume_from: 10 }, { 'Last-Event-ID': '' })
  expect(resumed).toEqual([20, 20, 20, 10])
})

test('what is wrong with a body is said before that there is no place, and its size after', async () => {
  const full = { ...STREAM_PLANS, connections: 0 }
  const { post } = await serve(full)
  expect(await post({ types: ['transactions'] })).toEqual({
    ...{ status: 400, error: 'addresses are required for subscription' },
  })
  const traces = Array.from({ length: 1_001 }, (_, i) => i.toString(16).padStart(64, '0'))
  const large = { types: ['trace'], trace_external_hash_norms: traces }
  const noPlace = { status: 429, error: 'connection limit reached: 0 active connections' }
  expect(await post(BODY)).toEqual(noPlace)
  expect(await post(large)).toEqual(noPlace)
  server?.close()
  const { post: postElsewhere } = await serve()
  expect(await postElsewhere(large)).toMatchObject({
    ...{ status: 400, error: 'too many trace_external_hash_norms: 1001 > max 1000' },
  })
})

test('a client that leaves while its body is read takes no place', async () => {
  const { post, answers, places } = await serve()
  const large = { ...BODY, note: 'x'.repeat(100_000) }
  await expect(post(large, { 'X-Leaves': 'yes' })).rejects.toThrow()
  await Promise.all(answers)
  expect(places.count).toBe(0)
})

test('the first frame says from where to resume, unless what was missed is still to come', async () => {
  const streams = {
    places: new StreamPlaces(STREAM_PLANS),
    events: { checkResume: async () => {}, resume: () => {} },
    ...{ follower: { complete: 300 }, hub: { subscribers: { change: () => {} } }, disconnect: () => {} },
    connect: ({ transport }: { readonly transport: Transport }) =>
      ({ outbox: new Outbox(transport) }) as Subscriber,
  } as unknown as Streams
  const app = express().post('/:version', (request, response) =>
    answerStream({ streams, protocol: request.params.version === 'v1' ? V1 : V2, request, response }),
  )
  const own = createServer(app)
  server = own
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  const firstFrame = async (version: string, body: object): Promise<string> => {
    const reply = await fetch(`http://127.0.0.1:${(own.address() as AddressInfo).port}/${version}`, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
    })
    const reader = reply.body!.getReader()
    const { value } = await reader.read()
    await reader.cancel()
    return Buffer.from(value!).toString()
  }
  const data = 'data: {"status":"subscribed"}\n\n'
  expect(await firstFrame('v2', BODY)).toBe(`event: connected\nid: 300\n${data}`)
  expect(await firstFrame('v2', { ...BODY, resume_from: 200 })).toBe(`event: connected\n${data}`)
  expect(await firstFrame('v1', BODY)).toBe(`event: connected\n${data}`)
})
