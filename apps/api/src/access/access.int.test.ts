import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, createServer } from 'node:net'
import { Writable } from 'node:stream'
import { apiKeyPrefix, hashApiKey, insertApiKey, makeApiKey, revokeApiKey } from '@shardwalk/db'
import { createLogger, createMetrics } from '@shardwalk/observability'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createApi } from '../create-api.ts'
import { listen, type RunningServer } from '../server.ts'
import { type Access, openAccess } from './index.ts'
import { RateLimits } from './rate-limits.ts'

const GLOBAL_ID = -239

let scratch: ScratchDatabase
let access: Access
let server: RunningServer
const metrics = createMetrics()
const logged: string[] = []
const output = new Writable({
  write(chunk, _encoding, done) {
    logged.push(String(chunk))
    done()
  },
})
const log = createLogger({ level: 'debug', format: 'json', output })

beforeAll(async () => {
  scratch = await scratchDatabase()
  await scratch.pool.query(
    'insert into network (id, global_id, root_hash, file_hash) values (1, $1, $2, $2)',
    [GLOBAL_ID, Buffer.alloc(32)],
  )
})
afterAll(() => scratch.close())

beforeEach(async () => {
  await scratch.pool.query('delete from api_keys')
  access = openAccess({ db: scratch.db, pool: scratch.pool, anonymousRps: 1, metrics, log })
  const app = createApi({
    db: scratch.db,
    access: access.middleware,
    trustedProxies: ['127.0.0.1'],
    log,
    metrics,
  })
  server = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  await server.close(0)
  access.close()
})

/** A path of API v3 that always gives 404; the tests only check whether it is reached. */
const PATH = '/api/v3/nothing'
const REACHED = 404

const get = (path = PATH, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers })
const statuses = async (
  count: number,
  path?: string,
  headers?: Record<string, string>,
): Promise<number[]> => {
  const found: number[] = []
  for (let i = 0; i < count; i++) found.push((await get(path, headers)).status)
  return found
}

async function newKey(options: { account?: string; rps?: number; globalId?: number } = {}) {
  const key = makeApiKey()
  const { account = 'someone', rps = 100, globalId } = options
  const { id } = await insertApiKey(scratch.db, {
    keyHash: hashApiKey(key),
    prefix: apiKeyPrefix(key),
    account,
    requestsPerSecond: rps,
    ...(globalId === undefined ? {} : { globalId }),
  })
  return { key, id }
}

test('while no key is valid the service is open, whatever a client sends', async () => {
  expect(await statuses(20)).toEqual(Array(20).fill(REACHED))
  const reply = await get(PATH, { 'X-API-Key': 'anything' })
  expect(reply.status).toBe(REACHED)
  expect(reply.headers.get('RateLimit-Limit')).toBeNull()
})

test('a key is taken from X-API-Key, a bearer token, api_key and token', async () => {
  const { key } = await newKey()
  for (const reply of [
    await get(PATH, { 'X-API-Key': key }),
    await get(PATH, { Authorization: `Bearer ${key}` }),
    await get(`${PATH}?api_key=${key}`),
    await get(`${PATH}?token=${key}`),
  ]) {
    expect(reply.status).toBe(REACHED)
    expect(reply.headers.get('RateLimit-Limit')).toBe('100')
  }
})

test('the header wins over the query', async () => {
  const { key } = await newKey()
  expect((await get(`${PATH}?api_key=wrong`, { 'X-API-Key': key })).status).toBe(REACHED)
  expect((await get(`${PATH}?api_key=${key}`, { 'X-API-Key': 'wrong' })).status).toBe(401)
})

test('an unknown key is an error, not an anonymous request', async () => {
  await newKey()
  for (const wrong of [makeApiKey(), 'short', `${makeApiKey()}0`]) {
    const reply = await get(PATH, { 'X-API-Key': wrong })
    expect(reply.status).toBe(401)
    expect(await reply.json()).toEqual({ ok: false, code: 401, error: 'API key does not exist' })
  }
})

test('a key of another network is refused, one of this network is not', async () => {
  const here = await newKey({ globalId: GLOBAL_ID })
  const there = await newKey({ globalId: -3 })
  expect((await get(PATH, { 'X-API-Key': here.key })).status).toBe(REACHED)
  const reply = await get(PATH, { 'X-API-Key': there.key })
  expect(reply.status).toBe(403)
  expect(await reply.json()).toEqual({ ok: false, code: 403, error: 'Network not allowed' })
})

test('without a key two requests fit into two seconds; the third gets the time to retry', async () => {
  await newKey()
  expect(await statuses(2)).toEqual([REACHED, REACHED])
  const reply = await get()
  expect(reply.status).toBe(429)
  expect(await reply.json()).toEqual({
    ok: false,
    code: 429,
    error: 'Ratelimit exceeded',
    result: 'Ratelimit exceed',
  })
  expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
  expect(Number(reply.headers.get('Retry-After'))).toBeLessThanOrEqual(2)
  expect(reply.headers.get('RateLimit-Remaining')).toBe('0')
  expect(reply.headers.get('Access-Control-Allow-Origin')).toBe('*')
})

test('a browser beyond its limit is shown a page, on paths that are pages', async () => {
  await newKey()
  const pages = createApi({
    ...{ db: scratch.db, access: access.middleware, log, metrics },
    pages: { detail: 'full', network: 'sample' },
  })
  const other = await listen(pages, { host: '127.0.0.1', port: 0 })
  const visit = (path: string) => fetch(other.url + path, { headers: { Accept: 'text/html,*/*;q=0.8' } })
  let reply = await visit('/blocks')
  for (let i = 0; i < 4 && reply.status !== 429; i++) reply = await visit('/blocks')
  expect([reply.status, reply.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  expect(await reply.text()).toMatch(/Too many requests.*Try again in [12] second/s)
  expect((await visit('/api/v3/blocks')).headers.get('content-type')).toContain('application/json')
  await other.close(0)
})

test('every address has its own limit, and a /64 of IPv6 counts as one address', async () => {
  await newKey()
  const from = (ip: string) => statuses(3, PATH, { 'X-Forwarded-For': ip })
  expect(await from('192.0.2.1')).toEqual([REACHED, REACHED, 429])
  expect(await from('192.0.2.2')).toEqual([REACHED, REACHED, 429])
  expect(await from('2001:db8:1:2::1')).toEqual([REACHED, REACHED, 429])
  expect(await from('2001:db8:1:2:ffff::9')).toEqual([429, 429, 429])
  expect((await get(PATH, { 'X-Forwarded-For': '2001:db8:1:3::1' })).status).toBe(REACHED)
})

test('the keys of an account share its limit, other accounts do not', async () => {
  const [first, second, other] = [
    await newKey({ account: 'a', rps: 3 }),
    await newKey({ account: 'a', rps: 3 }),
    await newKey({ account: 'b', rps: 3 }),
  ]
  // Sent one after the other, the requests may fall into two windows; sent at once, they cannot all fit into
  // one.
  const ask = ({ key }: { key: string }) => get(PATH, { 'X-API-Key': key }).then(({ status }) => status)
  const found = await Promise.all([...Array(7)].map((_, i) => ask(i % 2 ? first : second)))
  expect(found.filter((status) => status === REACHED).length).toBeLessThanOrEqual(6)
  expect(found).toContain(429)
  expect(await ask(other)).toBe(REACHED)
})

test('running a contract costs two requests, documentation and preflights cost nothing', async () => {
  const { key } = await newKey({ rps: 100 })
  const remaining = async (path: string, method = 'GET') => {
    const headers = { 'X-API-Key': key }
    const reply = await fetch(`${server.url}${path}`, { method, headers })
    return reply.headers.get('RateLimit-Remaining')
  }
  const before = Number(await remaining(PATH))
  expect(Number(await remaining('/api/v3/runGetMethod', 'POST'))).toBe(before - 2)
  for (const free of ['/api/v2', '/api/v3/', '/api/v3/openapi.json', '/api/v2/healthcheck'])
    expect(await remaining(free)).toBeNull()
  const preflight = await fetch(`${server.url}${PATH}`, { method: 'OPTIONS' })
  expect(preflight.status).toBe(204)
})

test.each([
  '/api/v3/runGetMethod/',
  '/API/V3/RUNGETMETHOD',
  '/api/v3/estimateFee/',
  '/api/v2/runGetMethod/',
  '/API/V2/runGetMethodStd/',
  '/api/v3//runGetMethod',
  '/api/v2//runGetMethod',
  '//api//v3///runGetMethod//',
])('a route costs the same however its path is spelled: %s', async (path) => {
  const { key } = await newKey({ rps: 100 })
  const reply = await fetch(`${server.url}${path}`, { method: 'POST', headers: { 'X-API-Key': key } })
  expect(reply.headers.get('RateLimit-Remaining')).toBe('98')
})

test('a path that matches no route runs nothing', async () => {
  expect((await fetch(`${server.url}/api/v3/%72unGetMethod`, { method: 'POST' })).status).toBe(404)
})

test('an address that guesses keys is refused without lookups, while its valid key is served', async () => {
  const { key } = await newKey()
  // Of its own, because time counts from the first key that an address shows.
  const ask = (apiKey: string, address = '192.0.2.8') =>
    get(PATH, { 'X-API-Key': apiKey, 'X-Forwarded-For': address })
  const since = performance.now()
  expect((await ask(key)).status).toBe(REACHED)
  const guesses = await Promise.all(
    Array.from({ length: 60 }, () => ask(makeApiKey()).then(({ status }) => status)),
  )
  const windows = 1 + Math.floor((performance.now() - since) / 10_000)
  const looked = guesses.filter((status) => status === 401).length
  expect(looked).toBeGreaterThanOrEqual(20)
  expect(looked).toBeLessThanOrEqual(Math.min(20 * windows, 60))
  expect(guesses.filter((status) => status === 429)).toHaveLength(60 - looked)
  if (windows === 1)
    expect(Number((await ask(makeApiKey())).headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
  expect((await ask(key)).status).toBe(REACHED)
  expect((await ask(makeApiKey(), '192.0.2.9')).status).toBe(401)
})

test('without keys an address is limited to OPEN_RPS, and this machine is not limited', async () => {
  const open = openAccess({ db: scratch.db, anonymousRps: 1, openRps: 2 })
  const app = createApi({ db: scratch.db, access: open.middleware, trustedProxies: ['127.0.0.1'] })
  const own = await listen(app, { host: '127.0.0.1', port: 0 })
  const ask = (headers: Record<string, string>) =>
    Promise.all(Array.from({ length: 8 }, () => fetch(own.url + PATH, { headers }).then((r) => r.status)))
  try {
    expect(await ask({ 'X-Forwarded-For': '192.0.2.1' })).toContain(429)
    expect(await ask({})).toEqual(Array(8).fill(REACHED))
  } finally {
    await own.close(0)
    open.close()
  }
})

const REQUEST_BEGUN = 'http.server.request.start'

test('a client that leaves in the middle of its body is counted, and is no error of ours', async () => {
  const before = logged.length
  for (const path of ['/api/v3/decode', '/api/v2/runGetMethod']) {
    let request: IncomingMessage | undefined
    const onRequest = (message: unknown) => {
      request = (message as { readonly request: IncomingMessage }).request
    }
    subscribe(REQUEST_BEGUN, onRequest)
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"a`,
    )
    const abandoned = () => logged.slice(before).filter((line) => line.includes('request abandoned')).length
    const seen = abandoned()
    // Its key has been looked up, and its body is being read.
    await expect.poll(() => request?.readableDidRead).toBe(true)
    unsubscribe(REQUEST_BEGUN, onRequest)
    socket.destroySoon()
    await expect.poll(abandoned).toBe(seen + 1)
  }
  expect(logged.slice(before).filter((line) => line.includes('request failed'))).toEqual([])
  // Counted when the connection has closed, which may be after the log has it.
  const counted = /http_requests_abandoned_total\{route="\/api\/v2\/runGetMethod"\} 1/
  await expect.poll(() => metrics.text(), { timeout: 60_000 }).toMatch(counted)
})

const rpc = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/v2/jsonRPC`, { method: 'POST', body: JSON.stringify(body), headers })

test('a method costs the same inside JSON-RPC as by itself', async () => {
  const { key } = await newKey({ rps: 100 })
  const remaining = async (method: string) =>
    Number((await rpc({ method, params: {} }, { 'X-API-Key': key })).headers.get('RateLimit-Remaining'))
  const hash = '00'.repeat(32)
  const before = await remaining('detectHash')
  expect(await remaining('detectHash')).toBe(before - 1)
  const call = { method: 'runGetMethod', params: { address: `0:${hash}`, method: 'seqno', stack: [] } }
  const reply = await rpc(call, { 'X-API-Key': key })
  expect(Number(reply.headers.get('RateLimit-Remaining'))).toBe(before - 3)
})

test('a JSON-RPC request over the limit gets its id back and no result member', async () => {
  await newKey()
  const frame = {
    id: 'mine',
    jsonrpc: '2.0',
    '@extra': 'more',
    method: 'detectHash',
    params: { hash: '00'.repeat(32) },
  }
  expect([(await rpc(frame)).status, (await rpc({ ...frame, id: 7 })).status]).toEqual([200, 200])
  const reply = await rpc(frame)
  expect(reply.status).toBe(429)
  expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
  const refusal = { ok: false, code: 429, error: 'Ratelimit exceeded' }
  expect(await reply.json()).toEqual({ ...refusal, id: 'mine', jsonrpc: '2.0', '@extra': 'more' })
  expect(await (await rpc({ ...frame, pad: 'x'.repeat(20_000) })).json()).toEqual(refusal)
  expect(await (await fetch(`${server.url}/api/v2/jsonRPC`, { method: 'POST', body: '{' })).json()).toEqual(
    refusal,
  )
})

test('a JSON-RPC method that costs more than the remaining allowance is refused with its id', async () => {
  await newKey()
  expect((await rpc({ method: 'detectHash', params: { hash: '00'.repeat(32) } })).status).toBe(200)
  const params = { address: `0:${'00'.repeat(32)}`, method: 'seqno', stack: [] }
  const reply = await rpc({ id: 5, method: 'runGetMethod', params })
  expect(reply.status).toBe(429)
  expect(await reply.json()).toMatchObject({ ok: false, code: 429, error: 'Ratelimit exceeded', id: '5' })
  expect(reply.headers.get('Retry-After')).toMatch(/^[12]$/)
})

test('?api_key= and ?token= are keys as well', async () => {
  const { key } = await newKey()
  for (const name of ['api_key', 'token']) {
    expect((await get(`${PATH}?${name}=${key}`)).status).toBe(REACHED)
    expect((await get(`${PATH}?${name}=wrong`)).status).toBe(401)
    // On a route that rejects unknown parameters.
    expect((await get(`/api/v3/blocks?${name}=${key}`)).status).toBe(200)
    // API v2 ignores unknown parameters.
    expect((await get(`/api/v2/detectHash?hash=${'00'.repeat(32)}&${name}=${key}`)).status).toBe(200)
  }
})

test('health checks need no key', async () => {
  await newKey()
  expect(await statuses(5, '/healthz')).toEqual(Array(5).fill(200))
})

test('a revoked key is refused on notification, and revoking the last one opens the service', async () => {
  const [{ key, id }, kept] = [await newKey(), await newKey()]
  const statusOf = async (headers: Record<string, string>) => (await get(PATH, headers)).status
  expect(await statusOf({ 'X-API-Key': key })).toBe(REACHED)
  await revokeApiKey(scratch.db, id)
  await expect.poll(() => statusOf({ 'X-API-Key': key })).toBe(401)
  await revokeApiKey(scratch.db, kept.id)
  await expect.poll(() => statusOf({ 'X-API-Key': key })).toBe(REACHED)
})

test('keys are neither in the database nor in the log', async () => {
  const { key } = await newKey()
  await get(`${PATH}?api_key=${key}`, { 'X-API-Key': key })
  await get(`/api/v3/%zz?api_key=${key}`)
  const { rows } = await scratch.pool.query('select api_keys::text as row from api_keys')
  log.info('logging works')
  expect(logged.join('')).toContain('logging works')
  const secret = key.slice(apiKeyPrefix(key).length)
  for (const text of [JSON.stringify(rows), logged.join('\n'), await metrics.text()])
    expect(text).not.toContain(secret)
  expect(JSON.stringify(rows)).toContain(apiKeyPrefix(key))
})

async function startRedis(): Promise<{ url: string; process: ChildProcess }> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  const process = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'])
  for await (const chunk of process.stdout) if (String(chunk).includes('Ready to accept')) break
  return { url: `redis://127.0.0.1:${port}`, process }
}

const hasRedis = await new Promise<boolean>((resolve) => {
  const probe = spawn('redis-server', ['--version'])
  probe.once('error', () => resolve(false))
  probe.once('exit', (code) => resolve(code === 0))
})

test.runIf(hasRedis)(
  'processes count together in Redis, and separately while Redis is unavailable',
  async () => {
    const redis = await startRedis()
    const [one, two] = [new RateLimits({ redisUrl: redis.url }), new RateLimits({ redisUrl: redis.url })]
    try {
      const take = async (limits: RateLimits, client: string) => (await limits.take(client, 0.1, 1)).allowed
      // Until both are connected they count separately.
      let probe = 0
      const shared = async () => {
        const client = `probe ${probe++}`
        return [
          await take(one, client),
          await take(two, client),
          await take(one, client),
          await take(two, client),
        ]
      }
      await expect.poll(shared).toEqual([true, true, false, false])
      redis.process.kill('SIGKILL')
      await once(redis.process, 'exit')
      expect([await take(one, 'a'), await take(one, 'a'), await take(one, 'a')]).toEqual([true, true, false])
      expect(await take(two, 'a')).toBe(true)
    } finally {
      redis.process.kill('SIGKILL')
      one.close()
      two.close()
    }
  },
)

test.runIf(hasRedis)('a clock of Redis that was set back does not lengthen limits', async () => {
  const { url, process } = await startRedis()
  const limits = new RateLimits({ redisUrl: url })
  const direct = new Redis(url)
  try {
    const take = (client: string) => limits.take(client, 0.1, 1)
    const isCounted = async () => {
      await take('probe')
      return direct.exists('shardwalk:rate:0.1:probe')
    }
    await expect.poll(isCounted).toBe(1)
    await take('a')
    await take('a')
    expect(await take('a')).toMatchObject({ allowed: false })
    // What was begun by a clock that was three days ahead.
    await direct.expire('shardwalk:rate:0.1:a', 259_200)
    expect(await take('a')).toEqual({ allowed: true, limit: 2, remaining: 1, resetMs: 20_000 })
    expect(await direct.pttl('shardwalk:rate:0.1:a')).toBeLessThanOrEqual(20_000)
  } finally {
    direct.disconnect()
    limits.close()
    process.kill('SIGKILL')
  }
})

test.runIf(hasRedis)(
  'a client far beyond its limit is refused for a minute, whatever the clock does',
  async () => {
    const { url, process } = await startRedis()
    const limits = new RateLimits({ redisUrl: url })
    try {
      const take = (client: string) => limits.take(client, 0.1, 1)
      const first = await take('a')
      for (let i = 0; i < 30; i++) await take('a')
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 259_200_000 })
      const { allowed, resetMs } = await take('a')
      expect({ first: first.allowed, allowed }).toEqual({ first: true, allowed: false })
      expect(resetMs).toBeGreaterThan(20_000)
      expect(resetMs).toBeLessThanOrEqual(60_000)
      expect((await take('b')).allowed).toBe(true)
    } finally {
      vi.useRealTimers()
      limits.close()
      process.kill('SIGKILL')
    }
  },
)
