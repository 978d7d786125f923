import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { profileRules, v3Replies } from '@shardwalk/api-schema'
import { sampleChainDatabase } from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Client, type Json, type Query } from './client.ts'
import { ProfileClients } from './profile-clients.ts'

let clients: ProfileClients

beforeAll(async () => {
  clients = await ProfileClients.start(await sampleChainDatabase(), { exportMaxRows: 100_000 })
})

afterAll(() => clients?.close())

const ACCOUNT = '-1:3333333333333333333333333333333333333333333333333333333333333333'

test('NDJSON has every row of the list in order', async () => {
  const { body } = await clients.standard.get('transactions', { mc_seqno: 40, limit: 1 })
  const [{ lt }] = body['transactions'] as [{ lt: string }]
  // Of several pages.
  const query = { sort: 'asc', ...(!isLong && { end_lt: lt }) }
  const response = await fetch(clients.standard.url('messages', query), {
    headers: { Accept: 'application/x-ndjson' },
  })
  expect(response.headers.get('content-type')).toContain('application/x-ndjson')
  const lines = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
  expect(lines.length).toBeGreaterThan(1000)
  expectSame(lines, await clients.standard.all('messages', 'messages', query))
})

test('CSV has a column for every key', async () => {
  const response = await fetch(clients.standard.url('transactions', { account: ACCOUNT, limit: 7 }), {
    headers: { Accept: 'text/csv' },
  })
  const [header, ...rows] = (await response.text()).trimEnd().split('\r\n')
  expect(header!.split(',')).toEqual(Object.keys(v3Replies(profileRules('standard')).Transaction.shape))
  expect(rows).toHaveLength(7)
})

test('`format` wins over `Accept`, in both profiles; trailers and a last line sum up', async () => {
  for (const client of clients.all()) {
    const ask = (query: Query, accept = 'application/json') =>
      fetch(client.url('blocks', query), { headers: { accept } })
    const csv = await ask({ format: 'csv', limit: 3 }, 'application/x-ndjson')
    expect([csv.headers.get('content-type'), csv.headers.get('x-export-max-rows')]).toEqual([
      'text/csv; charset=utf-8',
      '3',
    ])
    expect((await csv.text()).trimEnd().split('\r\n')).toHaveLength(4)
    const json = await ask({ format: 'json', limit: 3 }, 'text/csv')
    expect(json.headers.get('content-type')).toContain('application/json')
    const lines = (await (await ask({ format: 'NDJSON', limit: 3, summary: 1 })).text()).trimEnd().split('\n')
    expect(JSON.parse(lines[3]!)).toEqual({
      _summary: { rows: 3, complete: false, next_cursor: expect.any(String) },
    })
    const wrong = await ask({ format: 'xml' })
    expect([wrong.status, ((await wrong.json()) as Json)['error']]).toEqual([
      422,
      expect.stringMatching(/"format".*accepted: json, ndjson, csv/),
    ])
  }
  const raw = await new Promise<IncomingMessage>((resolve) =>
    request(clients.standard.url('blocks', { format: 'ndjson', seqno: 5, workchain: -1, shard: 8 }))
      .on('response', resolve)
      .end(),
  )
  await raw.toArray()
  expect(raw.trailers).toMatchObject({ 'x-export-rows': expect.any(String), 'x-export-complete': 'true' })
})

test('an export is an operation of its own too, with the filters of the list', async () => {
  const { body: found } = await clients.standard.get('transactions', { mc_seqno: 150, limit: 1 })
  const [{ lt: end_lt }] = found['transactions'] as [{ lt: string }]
  for (const client of clients.all()) {
    const ask = (path: string, query: Query = {}) => fetch(client.url(path, query))
    const filter = { account: ACCOUNT, sort: 'asc', ...(!isLong && { end_lt }) }
    const lines = await (await ask('export/transactions', filter)).text()
    expect(lines).toBe(await (await ask('transactions', { ...filter, format: 'ndjson' })).text())
    const csv = await ask('export/transactions', { ...filter, format: 'csv', limit: 5000 })
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const table = await csv.text()
    expect(table.split('\r\n').length).toBe(lines.split('\n').length + 1)
    const preferred = { headers: { Accept: 'text/csv' } }
    const accepted = await fetch(client.url('export/transactions', { ...filter, limit: 5000 }), preferred)
    expect(await accepted.text()).toBe(table)
    const [one, summary, end] = (
      await (await ask('export/blocks', { limit: 1, summary: true })).text()
    ).split('\n')
    expect([typeof one, JSON.parse(summary!), end]).toEqual([
      'string',
      { _summary: { rows: 1, complete: false, next_cursor: expect.any(String) } },
      '',
    ])
    const refused = await ask('export/blocks', { format: 'json' })
    expect([refused.status, await refused.json()]).toEqual([
      422,
      { code: 422, error: expect.stringMatching(/"format".*accepted: ndjson, csv/) },
    ])
  }
  const unknown = await fetch(clients.standard.url('export/blocks', { formt: 'csv' }))
  expect(await unknown.json()).toMatchObject({ error: expect.stringMatching(/did you mean "format"/) })
})

test('few run at the same time; one that is not read ends when its client goes', async () => {
  const client = await Client.start(clients.scratch, { exportMaxRows: 100_000, exportConcurrency: 1 })
  try {
    const controller = new AbortController()
    const path = client.url('transactions', { format: 'ndjson' })
    const slow = await fetch(path, {
      signal: controller.signal,
      headers: { 'accept-encoding': 'identity' },
    })
    expect(slow.status).toBe(200)
    const refused = await fetch(path)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    await refused.text()
    controller.abort()
    await vi.waitFor(
      async () => {
        const next = await fetch(client.url('blocks', { format: 'ndjson', limit: 1 }))
        await next.text()
        expect(next.status).toBe(200)
      },
      { timeout: 20_000 },
    )
  } finally {
    await client.close()
  }
})

test('is refused while disabled, unless the client accepts JSON too', async () => {
  const off = await Client.start(clients.scratch)
  const accept = (types: string) => off.get('transactions', { limit: 1 }, { Accept: types })
  const replies = [
    await accept('text/csv'),
    await accept('text/csv, application/json;q=0.5'),
    await off.get('export/transactions'),
  ]
  await off.close()
  expect(replies.map(({ status }) => status)).toEqual([406, 200, 406])
  expect(replies[0]!.body['code']).toBe(406)
})

test('a truncated export without trailers: HEAD has only headers, HTTP/1.0 has every row', async () => {
  const { hostname, port } = new URL(clients.standard.server.url)
  const ask = async (line: string) => {
    const socket = connect(Number(port), hostname)
    socket.write(`${line}\r\nHost: x\r\nAccept: application/x-ndjson\r\nConnection: close\r\n\r\n`)
    return (await socket.toArray()).join('').split('\r\n\r\n') as [head: string, body: string]
  }
  const head = await ask('HEAD /api/v3/blocks?limit=3 HTTP/1.1')
  expect([head[0].split('\r\n')[0], head[1]]).toEqual(['HTTP/1.1 200 OK', ''])
  const old = await ask('GET /api/v3/blocks?limit=3 HTTP/1.0')
  expect(old[1].trimEnd().split('\n')).toHaveLength(3)
  expect((await clients.standard.get('masterchainInfo')).status).toBe(200)
})

test('NDJSON is compressed if the client accepts it', async () => {
  const headers = { Accept: 'application/x-ndjson', 'Accept-Encoding': 'gzip' }
  const response = await fetch(clients.standard.url('blocks', { limit: 50 }), { headers })
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect((await response.text()).trimEnd().split('\n')).toHaveLength(50)
})
