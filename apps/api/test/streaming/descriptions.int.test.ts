import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { type StreamingApi, startStreaming } from './moving-chain.ts'

let scratch: ScratchDatabase
let api: StreamingApi
/** With version 1. */
let both: StreamingApi
beforeAll(async () => {
  scratch = await scratchDatabase()
  api = await startStreaming(scratch)
  both = await startStreaming(scratch, { streaming: { v1: true } })
})
afterAll(async () => {
  await api?.close()
  await both?.close()
  await scratch?.close()
})

const get = async (path: string, from = api): Promise<Json> =>
  (await (await fetch(from.url + path)).json()) as Json

/** Every reference of a document, with where it is. */
function referencesIn(value: unknown, path = '#'): { readonly ref: string; readonly path: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? [{ ref: item, path }] : referencesIn(item, `${path}/${key}`),
  )
}

const resolve = (document: Json, ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document)

function expectWhole(document: Json): void {
  const references = referencesIn(document)
  expect(references.length).toBeGreaterThan(100)
  for (const { ref, path } of references) expect(resolve(document, ref), `${path}: ${ref}`).toBeDefined()
  for (const operation of Object.values(document['operations'] as Record<string, Json>)) {
    const channel = (operation['channel'] as Json)['$ref'] as string
    for (const { $ref } of operation['messages'] as { $ref: string }[])
      expect($ref.startsWith(`${channel}/messages/`)).toBe(true)
  }
}

test('the AsyncAPI document is whole: references lead somewhere, operations to their channel', async () => {
  const document = await get('/api/streaming/asyncapi.json')
  expect(document).toMatchObject({
    asyncapi: '3.0.0',
    servers: { webSocket: { host: new URL(api.url).host, protocol: 'ws' }, http: { protocol: 'http' } },
  })
  expectWhole(document)
  const { webSocket, serverSentEvents, webhooks } = document['channels'] as Record<string, Json>
  const types = ['transactions', 'actions', 'account_state_change', 'jettons_change']
  for (const channel of [webSocket, serverSentEvents, webhooks])
    expect(Object.keys(channel!['messages'] as Json)).toEqual(expect.arrayContaining(types))
  expect(webSocket!['address']).toBe('/api/streaming/v2/ws')
})

test('a host that is none is not repeated', async () => {
  const response = await fetch(`${api.url}/api/streaming/asyncapi.json`, { headers: { Host: 'a"b' } })
  expect((await response.text()).includes('a"b')).toBe(false)
})

test('the streams are in OpenAPI, with what is not JSON, and in the reference', async () => {
  const document = await get('/api/streaming/openapi.json')
  expect(document['paths']).toMatchObject({
    '/api/streaming/v2/sse': {
      post: {
        requestBody: { content: { 'application/json': {} } },
        responses: { 200: { content: { 'text/event-stream': {} } }, 429: {} },
      },
    },
    '/api/streaming/v2/ws': { get: { responses: { 101: {}, 426: {} } } },
    '/api/streaming/healthz': { get: { responses: { 200: {}, 503: {} } } },
  })
  for (const { ref, path } of referencesIn(document))
    expect(resolve(document, ref), `${path}: ${ref}`).toBeDefined()
  const page = await fetch(`${api.url}/api/streaming`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
})

test('refusals are as described: subscriptions have no code, who upgrades nothing gets text', async () => {
  const document = await get('/api/streaming/openapi.json')
  const responsesOf = (path: string, verb: string, status: number) =>
    (((document['paths'] as Record<string, Json>)[path]![verb] as Json)['responses'] as Record<number, Json>)[
      status
    ]!['content'] as Record<string, Json>
  const refused = await fetch(`${api.url}/api/streaming/v2/sse`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' },
  })
  const { schema } = responsesOf('/api/streaming/v2/sse', 'post', 400)['application/json'] as {
    readonly schema: { readonly $ref: string }
  }
  const { properties, required } = resolve(document, schema.$ref) as Json
  const members = Object.keys((await refused.json()) as Json)
  expect([refused.status, members, required]).toEqual([400, ['error'], ['error']])
  expect(Object.keys(properties as Json)).toEqual(expect.arrayContaining([...members, 'id', 'code', 'ok']))
  const upgraded = await fetch(`${api.url}/api/streaming/v2/ws`)
  expect([upgraded.status, upgraded.headers.get('content-type')]).toEqual([426, 'text/plain; charset=utf-8'])
  expect(Object.keys(responsesOf('/api/streaming/v2/ws', 'get', 426))).toEqual(['text/plain'])
})

test('version 1 is described, as deprecated, where it is offered', async () => {
  const documents = ['openapi.json', 'asyncapi.json'].map((name) => `/api/streaming/${name}`)
  for (const path of documents) expect(JSON.stringify(await get(path))).not.toContain('/v1/')
  const [openApi, asyncApi] = await Promise.all(documents.map((path) => get(path, both)))
  expect(openApi!['paths']).toMatchObject({
    '/api/streaming/v1/sse': { post: { deprecated: true, responses: { 200: {}, 429: {} } } },
    '/api/streaming/v1/ws': { get: { deprecated: true, responses: { 101: {}, 426: {} } } },
  })
  expectWhole(asyncApi!)
  const { webSocketV1: channel, webSocket } = asyncApi!['channels'] as Record<string, Json>
  expect(channel).toMatchObject({ address: '/api/streaming/v1/ws' })
  expect(channel!['description']).toContain('Deprecated')
  const messages = Object.keys(channel!['messages'] as Json)
  expect(messages).toEqual(expect.arrayContaining(['set_subscription', 'configure', 'pending_actions']))
  expect(Object.keys(webSocket!['messages'] as Json)).not.toContain('pending_actions')
})
