import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { closestName } from '@shardwalk/api-schema'
import { sampleChainDatabase } from '@shardwalk/testkit'
import { isLong, randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXPORT_ROUTES, INDEX_ROUTES, V3_ROUTES } from '../src/v3/routes/index.ts'
import { Client, type Json } from './client.ts'
import { ProfileClients } from './profile-clients.ts'

let clients: ProfileClients

beforeAll(async () => {
  clients = await ProfileClients.start(await sampleChainDatabase(), { exportMaxRows: 100_000 })
})

afterAll(() => clients?.close())

const ACCOUNT = '-1:3333333333333333333333333333333333333333333333333333333333333333'

describe('errors', () => {
  const BAD: readonly [path: string, query: Json, text: string | RegExp][] = [
    ['transactions', { limit: 0 }, /"limit".*"0".*between 1 and 1000/],
    ['transactions', { limit: 1001 }, /"limit".*"1001".*between 1 and 1000/],
    ['transactions', { offset: -1 }, /"offset".*must not be negative/],
    ['transactions', { sort: 'up' }, /"sort".*"up".*accepted: asc, a, desc, d/],
    ['transactions', { account: 'abc' }, /"account".*"abc" is not an address; accepted: .*raw form/],
    ['transactions', { account: [ACCOUNT, 'abc'] }, /index 1 of parameter "account"/],
    ['transactions', { account: '' }, /"account"/],
    ['transactions', { account: `EQ${'A'.repeat(46)}` }, /"account"/],
    ['transactions', { hash: 'AAAA' }, /"hash".*accepted: 64 hex digits/],
    ['transactions', { start_utime: -5 }, /"start_utime".*must not be negative/],
    ['transactions', { start_lt: '18446744073709551616' }, /"start_lt"/],
    ['transactions', { shard: '8000000000000000' }, '`shard` requires `workchain`'],
    ['transactions', { seqno: 5 }, '`seqno` requires both `workchain` and `shard`'],
    ['blocks', { workchain: 0, seqno: 5 }, '`seqno` requires both `workchain` and `shard`'],
    [
      'transactions',
      { account: Array.from({ length: 1001 }, () => ACCOUNT) },
      /"account" takes at most 1000 values, got 1001/,
    ],
    ['transactionsByMessage', {}, 'at least one of msg_hash, body_hash, opcode should be specified'],
    ['transactionsByMessage', { opcode: '0x0', direction: 'up' }, /"direction".*accepted: in, out/],
    ['messages', { hash: 'nonsense' }, /"hash"/],
    ['messages', { opcode: '99999999999' }, /"opcode"/],
    ['messages', { exclude_externals: 'perhaps' }, /"exclude_externals".*accepted: true/],
    ['adjacentTransactions', {}, 'parameter "hash" is required'],
    ['masterchainBlockShards', {}, 'parameter "seqno" is required'],
    ['masterchainBlockShards', { seqno: 'x' }, /"seqno"/],
    ['transactions', { cursor: 'AAAA' }, /"cursor"/],
    ['transactions', { limit: 0, offset: -1, sort: 'up' }, /\(and 2 other errors\)$/],
  ]
  const named = BAD.map(([path, query, text]) => {
    const shown = JSON.stringify(query)
    return [path, shown.length > 80 ? `${shown.slice(0, 80)}...` : shown, query, text] as const
  })
  test.each(named)('%s with %s is refused with the name of the parameter', async (path, _, query, text) => {
    const reply = await clients.standard.get<{ error: string; code: number }>(path, query as never)
    expect([reply.status, reply.body.code]).toEqual([422, 422])
    expect(Object.keys(reply.body)).toEqual(['error', 'code'])
    if (typeof text === 'string') expect(reply.body.error).toBe(text)
    else expect(reply.body.error).toMatch(text)
  })

  test('an unknown masterchain block is 404 before other filters are checked', async () => {
    const reply = await clients.standard.get('transactions', { mc_seqno: 999999, account: ACCOUNT })
    expect([reply.status, reply.body]).toEqual([
      404,
      { error: 'masterchain block 999999 not found', code: 404 },
    ])
    for (const path of ['masterchainBlockShardState', 'masterchainBlockShards'])
      expect((await clients.standard.get(path, { seqno: 999999 })).body).toEqual({
        error: 'blocks not found',
        code: 404,
      })
    const page = await clients.standard.get('masterchainBlockShards', { seqno: 100, offset: 500 })
    expect(page.status).toBe(404)
  })

  test('unknown paths are 404, other methods 405 with Allow', async () => {
    const unknown = await clients.standard.get('nope')
    expect([unknown.status, unknown.body['code']]).toEqual([404, 404])
    const posted = await fetch(clients.standard.url('blocks'), { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  test.each([
    '/api/v3//masterchainInfo',
    '//api//v3/masterchainInfo/',
    '/api/v3/masterchainInfo/?',
    '/API/v3/masterchaininfo',
  ])('slashes that clients double or add, and case, name no other path: %s', async (path) => {
    const reply = await fetch(`${clients.standard.server.url}${path}`)
    const usual = await clients.standard.get('masterchainInfo')
    expect([reply.status, await reply.json()]).toEqual([200, usual.body])
  })

  test('a statement that takes too long gives a stable text, and its connection stays usable', async () => {
    await sql`create function slow_text(integer) returns boolean language plpgsql
      as $$ begin perform pg_sleep(1); return true; end $$`.execute(clients.scratch.db)
    await sql`alter table indexed_ranges rename to hidden_ranges`.execute(clients.scratch.db)
    await sql`create view indexed_ranges as select * from hidden_ranges where slow_text(to_seqno)`.execute(
      clients.scratch.db,
    )
    try {
      const fresh = await Client.start(clients.scratch)
      const reply = await fresh.get('masterchainInfo', {}, { 'X-Timeout': '50' }).finally(() => fresh.close())
      expect(reply.status).toBe(500)
      expect(reply.body).toEqual({ error: 'query timeout', code: 500 })
    } finally {
      await sql`drop view indexed_ranges`.execute(clients.scratch.db)
      await sql`alter table hidden_ranges rename to indexed_ranges`.execute(clients.scratch.db)
    }
    expect((await clients.standard.get('masterchainInfo')).status).toBe(200)
  })
})

describe('headers', () => {
  test.each([
    ['transactions', { limit: 1 }, 200],
    ['transactions', { limit: 0 }, 422],
    ['nothing', {}, 404],
    ['addressInformation', {}, 542],
  ])('every reply has the version, the time and the indexed head: %s %o', async (path, query, status) => {
    const reply = await clients.standard.get(path, query)
    expect(reply.status).toBe(status)
    expect(reply.headers.get('x-indexed-mc-seqno')).toBe('529')
    expect(reply.headers.get('x-api-version')).toMatch(/^\d+\.\d+\.\d+$/)
    expect(reply.headers.get('server-timing')).toMatch(/^app;dur=\d/)
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
  })

  test.each([
    ['standard', 'transactions', {}],
    ['toncenter', 'transactions', { limit: 1, acount: ACCOUNT }],
    ['standard', 'export/blocks', { limit: 1, format: 'csv' }],
  ] as const)('pages of other origins may read all of ours: %s %s', async (profile, path, query) => {
    const { headers, body } = await fetch(clients.of(profile).url(path, query))
    await body?.cancel()
    const exposed = headers.get('access-control-expose-headers')!.toLowerCase().split(', ')
    const ours = [...headers.keys()].filter((name) => name.startsWith('x-'))
    expect(ours.filter((name) => !exposed.includes(name))).toEqual([])
    expect(ours.length).toBeGreaterThan(2)
  })

  test('an unchanged list is 304 for a client that has its tag', async () => {
    const reply = await askAgain('transactions', clients.standard, (tag) => tag)
    expect(reply).toEqual([304, ''])
  })

  test('a tag is found in a list of tags, weak or not; each profile has its own tags', async () => {
    const ask = async (client: Client, known: (tag: string) => string) =>
      (await askAgain('blocks', client, known))[0]
    expect(await ask(clients.standard, (tag) => `"other", ${tag}`)).toBe(304)
    expect(await ask(clients.standard, (tag) => tag.slice(2))).toBe(304)
    expect(await ask(clients.standard, () => '"other"')).toBe(200)
    expect(await ask(clients.toncenter, (tag) => tag)).toBe(200)
  })

  test('replies to one URL that differ by a header have different tags', async () => {
    const headers: Record<string, string>[] = [
      ...[{}, { Accept: 'text/csv' }, { Accept: 'application/x-ndjson' }, { 'X-Actions-Version': 'v1' }],
      ...[{ 'X-No-Metadata': '1' }, { 'X-No-Address-Book': '1' }],
    ]
    const tagOf = async (own: Record<string, string>) => {
      const reply = await fetch(clients.standard.url('actions', { limit: 1 }), { headers: own })
      await reply.text()
      return reply.headers.get('etag')!
    }
    // See `askAgain`.
    let tags: string[]
    do tags = await Promise.all(headers.map(tagOf))
    while (tags[0] !== (await tagOf({ Accept: 'application/json' })))
    expect(new Set(tags).size).toBe(headers.length)
  })

  /**
   * Status and text of a reply to a client that has `known` of the tag of `standard`. Every transaction of
   * the shared server changes the tag, autovacuum's too: only a reply between two equal tags counts.
   */
  async function askAgain(path: string, client: Client, known: (tag: string) => string) {
    const tagNow = async () => (await clients.standard.get(path, { limit: 1 })).headers.get('etag') as string
    for (;;) {
      const tag = await tagNow()
      const reply = await fetch(client.url(path, { limit: 1 }), { headers: { 'If-None-Match': known(tag) } })
      const answer = [reply.status, await reply.text()] as const
      if ((await tagNow()) === tag) return answer
    }
  }

  test('replies are compressed if the client accepts it', async () => {
    const body = await new Promise<Buffer>((resolve, reject) => {
      const req = request(
        clients.standard.url('blocks', { limit: 50 }),
        { headers: { 'Accept-Encoding': 'gzip' } },
        (res) => {
          expect(res.headers['content-encoding']).toBe('gzip')
          const chunks: Buffer[] = []
          res
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('end', () => resolve(Buffer.concat(chunks)))
        },
      )
      req.on('error', reject).end()
    })
    expect(JSON.parse(gunzipSync(body).toString()).blocks).toHaveLength(50)
  })

  test('HEAD has the headers of GET, a preflight is answered', async () => {
    const head = await fetch(clients.standard.url('blocks'), { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('x-next-cursor')).toBeTruthy()
    const preflight = await fetch(clients.standard.url('blocks'), { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/^X-API-Key, Authorization.*, \*$/)
  })

  test('the address book can be omitted, by header and by parameter', async () => {
    const byHeader = await clients.standard.get('transactions', {}, { 'X-No-Address-Book': 'true' })
    const byParameter = await clients.standard.get('transactions', { x_no_address_book: 1 })
    expect([byHeader.body['address_book'], byParameter.body['address_book']]).toEqual([{}, {}])
    expect(byHeader.body['transactions']).toEqual(
      (await clients.standard.get('transactions')).body['transactions'],
    )
  })

  test('a request line with 1000 addresses is accepted, repeated or with commas', async () => {
    const many = Array.from({ length: 999 }, (_, i) => `0:${i.toString(16).padStart(64, '0')}`)
    const repeated = await clients.standard.get('transactions', { account: [...many, ACCOUNT] })
    const joined = await clients.standard.get('transactions', { account: [...many, ACCOUNT].join(',') })
    const bracketed = await clients.standard.get('transactions', { 'account[]': [...many, ACCOUNT] })
    expect(repeated.body['transactions']).toHaveLength(10)
    expect(joined.body).toEqual(repeated.body)
    expect(bracketed.body).toEqual(repeated.body)
  })
})

describe('address book', () => {
  test('has a row per address; contracts are bounceable, plain wallets and strangers not', async () => {
    const { body } = await clients.standard.get<{ address_book: Record<string, Json>; transactions: Json[] }>(
      'transactions',
      { limit: 1000 },
    )
    const expected = new Set<string>()
    for (const t of body.transactions as { account: string; in_msg: Json | null; out_msgs: Json[] }[]) {
      expected.add(t.account)
      if (t.in_msg?.['source']) expected.add(t.in_msg['source'] as string)
      for (const message of t.out_msgs)
        if (message['destination']) expected.add(message['destination'] as string)
    }
    expect(Object.keys(body.address_book)).toEqual([...expected].sort())
    expect(body.address_book[ACCOUNT]!['user_friendly']).toBe(
      'Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF',
    )
    const system = body.address_book[`-1:${'00'.repeat(32)}`]!
    expect(system['user_friendly']).toMatch(/^Uf/)
  })
})

test('the closest name shares words rather than letters', () => {
  expect(closestName('owner_id', ['limit', 'offset', 'owner_address', 'sort'])).toBe('owner_address')
  expect(closestName('start_time', ['start_lt', 'start_utime', 'sort'])).toBe('start_utime')
})

describe('documentation', () => {
  test('OpenAPI lists every route with every parameter, and every reference resolves', async () => {
    const { body } = await clients.standard.get<OpenApi>('openapi.json')
    expect(body.openapi).toBe('3.1.0')
    expect(Object.keys(body.paths)).toEqual([
      ...INDEX_ROUTES.map((route) => route.path),
      ...['Transactions', 'Traces', 'Actions'].map((name) => `/api/v3/pending${name}`),
      ...['addressInformation', 'account', 'walletInformation', 'wallet'].map((name) => `/api/v3/${name}`),
      ...['message', 'estimateFee', 'runGetMethod'].map((name) => `/api/v3/${name}`),
      ...EXPORT_ROUTES.map((route) => route.path),
    ])
    for (const route of V3_ROUTES) {
      const { get, post } = body.paths[route.path]!
      const operation = route.body ? post! : get
      if (!route.body) expect(get.parameters.map((p) => p.name)).toEqual(Object.keys(route.query.shape))
      // Keys, limits and 503 are everywhere.
      const statuses = Object.keys({ ...{ 200: 'OK', 401: '', 403: '', 429: '', 503: '' }, ...route.fails })
      expect(Object.keys(operation.responses)).toEqual(statuses)
    }
    for (const name of ['message', 'estimateFee', 'runGetMethod', 'decode'])
      expect(body.paths[`/api/v3/${name}`]!.post!.requestBody).toMatchObject({ required: true })
    const references = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name!,
    )
    for (const name of references) expect(body.components.schemas).toHaveProperty(name)
  })

  test('the page loads nothing from other hosts', async () => {
    for (const path of ['/api/v3/', '/api/v3', '/api/v3/index.html']) {
      const page = await fetch(`${clients.standard.server.url}${path}`)
      const html = await page.text()
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(html).not.toMatch(/(src|href)="(https?:)?\/\//)
      expect(html).toContain('/api/v3/adjacentTransactions')
    }
    const root = await fetch(clients.standard.server.url, { redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([302, './api/v3/'])
  })
})

interface OpenApi extends Json {
  readonly openapi: string
  readonly paths: Record<
    string,
    {
      get: { parameters: { name: string }[]; responses: Json }
      post?: { requestBody: Json; responses: Json }
    }
  >
  readonly components: { schemas: Json }
}

describe('any input', () => {
  const odd = fc.oneof(
    fc.constantFrom(
      '0',
      '-1',
      '1',
      '',
      'null',
      'asc',
      'DESC',
      'in',
      'out',
      'true',
      ACCOUNT,
      '8000000000000000',
      '0x0f8a7ea5',
    ),
    fc.constantFrom(
      '18446744073709551615',
      '9223372036854775807',
      '9223372036854775808',
      '4294967295',
      '2147483648',
      '1e5',
      '0.5',
      '1795262000',
    ),
    fc.constantFrom(
      'lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c=',
      'ff'.repeat(32),
      '947000003',
      '100',
      '529',
      "'; drop table blocks; --",
      '%00',
      '\u0000',
    ),
    fc.string(),
    fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  )
  /** A client that gives the server a millisecond gets an error, with status 500 as in TON Center. */
  const withTime = ([name, value]: [string, string]): [string, string] => [
    name,
    name === 'x_timeout' && /^\d{1,3}$/.test(value) ? `${value}000` : value,
  ]
  const asked = fc.constantFrom(...INDEX_ROUTES).chain((route) =>
    fc.record({
      path: fc.constant(route.path),
      query: fc.array(
        fc
          .tuple(fc.constantFrom(...Object.keys(route.query.shape), 'x_timeout', 'cursor'), odd)
          .map(withTime),
        { maxLength: 5 },
      ),
    }),
  )

  test('no parameter with a character that PostgreSQL cannot store causes a 500', async () => {
    const values = ['\0', 'a\0', '1\0']
    let turn = 0
    for (const { path, query } of INDEX_ROUTES)
      for (const name of Object.keys(query.shape))
        for (const value of isLong ? values : [values[turn++ % values.length]!]) {
          const search = new URLSearchParams({ [name]: value })
          const { status } = await fetch(`${clients.standard.server.url}${path}?${search}`)
          expect([200, 404, 422], `${path}?${search}`).toContain(status)
        }
  })

  test('no query causes a 500', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ path, query }) => {
        const search = new URLSearchParams(query)
        const response = await fetch(`${clients.standard.server.url}${path}?${search}`)
        const body = (await response.json()) as { code?: number }
        expect([200, 404, 422]).toContain(response.status)
        if (response.status !== 200) expect(body.code).toBe(response.status)
      }),
      { numRuns: randomCases(600) },
    )
  })

  test('no raw query string causes a 500', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...INDEX_ROUTES),
        fc.string({ unit: 'binary-ascii' }),
        async (route, text) => {
          const query = encodeURI(text).replaceAll('#', '')
          const response = await fetch(`${clients.toncenter.server.url}${route.path}?${query}`)
          await response.text()
          expect([200, 404, 422]).toContain(response.status)
        },
      ),
      { numRuns: randomCases(300) },
    )
  })
})
