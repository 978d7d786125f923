import { readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ApiError, V2Client, V3Client } from './index.ts'

/** A server that gives these answers in order, the last one again and again. */
function server(...answers: readonly (() => Response)[]) {
  const asked: { readonly url: URL; readonly init: RequestInit }[] = []
  const answer = async (url: string, init: RequestInit) => {
    asked.push({ url: new URL(url), init })
    return answers[Math.min(asked.length, answers.length) - 1]!()
  }
  return { options: { url: 'http://server/', fetch: answer as typeof fetch }, asked }
}
const reply =
  (body: unknown, headers: Record<string, string> = {}, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status, headers })
/** A server with a list of blocks, which skips `offset` rows behind the cursor, as ours does. */
function listing(blocks: readonly object[]) {
  const fetch = (async (url: string) => {
    const asked = new URL(url).searchParams
    const [from, limit] = [
      Number(asked.get('cursor')) + Number(asked.get('offset')),
      Number(asked.get('limit')),
    ]
    const isLast = from + limit >= blocks.length
    return reply(
      { blocks: blocks.slice(from, from + limit) },
      isLast ? {} : { 'X-Next-Cursor': String(from + limit) },
    )()
  }) as typeof globalThis.fetch
  return { options: { url: 'http://server', fetch } }
}
const busy = reply({ error: 'busy', code: 503 }, { 'Retry-After': '0' }, 503)
const broken = () => {
  throw new TypeError('fetch failed')
}
const thrownBy = (work: Promise<unknown>): Promise<unknown> => work.catch((thrown: unknown) => thrown)

/** Replies of the reference implementation of API v2: fixtures/api-v2. */
interface Recorded {
  readonly http: { readonly body?: { readonly method?: string; readonly params?: object } }
  readonly status: number
  readonly body: { readonly result?: unknown; readonly error?: string }
}
const FILE = new URL('../../../fixtures/api-v2/json-rpc.json.gz', import.meta.url)
/** Calls that name their parameters, as the client does. */
const isOfClient = ({ http: { body } }: Recorded): boolean =>
  typeof body?.method === 'string' && /^(\{|$)/.test(JSON.stringify(body.params) ?? '')
const recorded = (JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly Recorded[]).filter(
  isOfClient,
)

test('a method has the recorded result, or throws the recorded error with its status', async () => {
  const statuses = new Set<number>()
  for (const { http, status, body } of recorded) {
    const { method, params } = http.body!
    const { options, asked } = server(reply(body, {}, status))
    const called = new V2Client({ ...options, retries: 0 }).call(method as 'getAddressBalance', { ...params })
    if (status === 200) expect(await called).toEqual(body.result)
    else expect(await thrownBy(called)).toMatchObject({ name: 'ApiError', status, message: body.error })
    expect(JSON.parse(String(asked[0]!.init.body))).toMatchObject({ method, params: params ?? {} })
    statuses.add(status)
  }
  expect([...statuses].sort()).toEqual([200, 409, 422, 500])
})

describe('a server that is busy or away', () => {
  afterEach(() => vi.useRealTimers())

  test('is asked again, and sending is not repeated unless the server refused it', async () => {
    const reads = server(busy, broken, reply({ last: 1 }))
    vi.useFakeTimers()
    const reading = new V3Client(reads.options).get('masterchainInfo', {})
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await reading).toEqual({ last: 1 })
    const sends = server(broken)
    await expect(new V3Client(sends.options).sendMessage('te6c')).rejects.toThrow('fetch failed')
    expect(sends.asked).toHaveLength(1)
    const refused = server(busy, reply({ message_hash: 'x' }))
    const sending = new V3Client(refused.options).sendMessage('te6c')
    await vi.advanceTimersByTimeAsync(0)
    expect(await sending).toEqual({ message_hash: 'x' })
  })

  test('is not sent a message again by any method of API v2', async () => {
    const { options, asked } = server(broken)
    const methods = ['sendBoc', 'sendBocReturnHash', 'sendBocReturnHashNoError'] as const
    for (const method of methods)
      await expect(new V2Client(options).call(method, { boc: 'te6c' })).rejects.toThrow('fetch failed')
    expect(asked).toHaveLength(methods.length)
  })

  test('is asked again after the time that it names, else after waits that double', async () => {
    vi.useFakeTimers()
    const named = server(reply({}, { 'Retry-After': '7' }, 429), reply({ first: 1 }))
    const reading = new V3Client(named.options).get('masterchainInfo', {})
    await vi.advanceTimersByTimeAsync(6_999)
    expect(named.asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await reading).toEqual({ first: 1 })

    const silent = server(reply({}, {}, 503))
    const failing = thrownBy(new V3Client(silent.options).get('masterchainInfo', {}))
    const counts = []
    for (const ms of [0, 500, 1_000, 2_000, 60_000]) {
      await vi.advanceTimersByTimeAsync(ms)
      counts.push(silent.asked.length)
    }
    expect(counts).toEqual([1, 2, 3, 4, 4])
    expect(await failing).toMatchObject({ status: 503, message: 'status 503', retryAfterSeconds: undefined })
  })

  test('gets all the time that it names, in seconds or as a date, up to what the caller allows', async () => {
    vi.useFakeTimers()
    const date = new Date(Math.ceil(Date.now() / 1000 + 45) * 1000)
    for (const named of ['45', date.toUTCString()]) {
      const { options, asked } = server(reply({}, { 'Retry-After': named }, 429), reply({ first: 1 }))
      const reading = new V3Client(options).get('masterchainInfo', {})
      await vi.advanceTimersByTimeAsync(44_900)
      expect(asked, named).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1_200)
      expect(await reading, named).toEqual({ first: 1 })
      vi.setSystemTime(Date.now() - 46_100)
    }
    const later = server(reply({}, { 'Retry-After': '3600' }, 429), reply({ first: 1 }))
    const failing = thrownBy(new V3Client(later.options).get('masterchainInfo', {}))
    expect(await failing).toMatchObject({ name: 'ApiError', status: 429, retryAfterSeconds: 3600 })
    expect(later.asked).toHaveLength(1)
    const patient = server(reply({}, { 'Retry-After': '3600' }, 429), reply({ first: 1 }))
    const waiting = new V3Client({ ...patient.options, maxRetryAfterMs: 3_600_000 }).get(
      'masterchainInfo',
      {},
    )
    await vi.advanceTimersByTimeAsync(3_599_999)
    expect(patient.asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await waiting).toEqual({ first: 1 })
    // More than a timer can wait.
    const endless = server(reply({}, { 'Retry-After': '9999999999' }, 503))
    const client = new V3Client({ ...endless.options, maxRetryAfterMs: Number.POSITIVE_INFINITY })
    expect(await thrownBy(client.get('masterchainInfo', {}))).toMatchObject({ retryAfterSeconds: 9999999999 })
  })

  test('is given up after the number of retries', async () => {
    const never = server(busy)
    const client = new V2Client({ ...never.options, retries: 2 })
    await expect(client.call('getMasterchainInfo')).rejects.toMatchObject({ status: 503, message: 'busy' })
    expect(never.asked).toHaveLength(3)
  })

  test('is not waited for by a caller that stops', async () => {
    vi.useFakeTimers()
    const { options } = server(reply({}, { 'Retry-After': '60' }, 429))
    const stop = new AbortController()
    const reading = thrownBy(new V3Client(options).get('masterchainInfo', {}, { signal: stop.signal }))
    while (vi.getTimerCount() === 0) await turn()
    stop.abort(new Error('stopped'))
    expect(await reading).toEqual(new Error('stopped'))
  })
})

test('a refusal has the status and the text of the server, or its status if that is no JSON', async () => {
  const refusals = [
    [reply({ error: 'limit is at most 1000', code: 422 }, {}, 422), 422, 'limit is at most 1000'],
    [() => new Response('<html>', { status: 502 }), 502, 'status 502'],
  ] as const
  for (const [answer, status, message] of refusals) {
    const error = await thrownBy(new V3Client(server(answer).options).get('blocks', {}))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status, message })
  }
})

test('the key is in a header; only clients that never go back name the newest block they saw', async () => {
  const replies = [76, 75, 80].map((seqno) => reply({}, { 'X-Indexed-Mc-Seqno': String(seqno) }))
  for (const [neverGoBack, expected] of [
    [true, ['0', '76', '76']],
    [false, [null, null, null]],
  ] as const) {
    const { options, asked } = server(...replies)
    const client = new V3Client({ ...options, apiKey: 'secret', neverGoBack })
    for (const _ of replies) await client.get('masterchainInfo', {})
    expect(asked.map(({ url }) => url.searchParams.get('min_mc_seqno'))).toEqual(expected)
    expect(asked.map(({ url, init }) => [url.pathname, new Headers(init.headers).get('X-API-Key')])).toEqual(
      Array(3).fill(['/api/v3/masterchainInfo', 'secret']),
    )
  }
})

test('pages follow the cursor to the last one, with the filters of the first', async () => {
  const page = (seqno: number, next?: string) =>
    reply({ blocks: [{ seqno }] }, next === undefined ? {} : { 'X-Next-Cursor': next })
  const { options, asked } = server(page(1, 'a'), page(2, 'b'), page(3))
  const rows = []
  for await (const { seqno } of new V3Client(options).rows('blocks', { workchain: -1 })) rows.push(seqno)
  expect(rows).toEqual([1, 2, 3])
  expect(asked.map(({ url }) => url.search)).toEqual([
    ...['?limit=1000&workchain=-1', '?limit=1000&workchain=-1&cursor=a', '?limit=1000&workchain=-1&cursor=b'],
  ])
})

test('rows that an offset skips are skipped once, not on every page', async () => {
  const chain = Array.from({ length: 10 }, (_, seqno) => ({ seqno }))
  const { options } = listing(chain)
  const rows = []
  for await (const { seqno } of new V3Client(options).rows('blocks', { offset: 2, limit: 3 }))
    rows.push(seqno)
  expect(rows).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
})

describe('an export', () => {
  const lines = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const exported =
    (...rows: readonly object[]) =>
    () =>
      new Response(lines(...rows))
  const summary = (next_cursor: string | null) => ({
    _summary: { complete: next_cursor === null, next_cursor },
  })
  async function collect(rows: AsyncIterable<object>): Promise<readonly object[]> {
    const found: object[] = []
    for await (const row of rows) found.push(row)
    return found
  }

  test('continues where the operator had it end, up to a limit', async () => {
    const parts = [exported({ seqno: 1 }, { seqno: 2 }, summary('a')), exported({ seqno: 3 }, summary(null))]
    const { options, asked } = server(...parts)
    const all = await collect(new V3Client(options).exportRows('blocks', { offset: 5, limit: 9 }))
    expect(all).toEqual([{ seqno: 1 }, { seqno: 2 }, { seqno: 3 }])
    expect(asked.map(({ url }) => url.search)).toEqual([
      '?offset=5&limit=9&format=ndjson&summary=true',
      '?limit=7&cursor=a&format=ndjson&summary=true',
    ])
  })

  test('that ends without a summary has no end: rows may be missing', async () => {
    const { options } = server(exported({ seqno: 1 }))
    await expect(collect(new V3Client(options).exportRows('blocks', {}))).rejects.toThrow('without a summary')
  })

  test('a server that falls silent, a signal and a reader that stops end the connection', async () => {
    let aborted: AbortSignal | undefined
    const silent = (async (_url, init) => {
      aborted = init?.signal ?? undefined
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from('{"seqno":1}\n{"seqno"'))
          aborted?.addEventListener('abort', () => controller.error(aborted?.reason))
        },
      })
      return new Response(body)
    }) as typeof fetch
    const options = { url: 'http://server', fetch: silent }
    const waiting = new V3Client({ ...options, timeoutMs: 50 }).exportRows('blocks', {})
    expect((await waiting.next()).value).toEqual({ seqno: 1 })
    await expect(waiting.next()).rejects.toThrow('silent')
    const stop = new AbortController()
    const stopped = new V3Client(options).exportRows('blocks', {}, { signal: stop.signal })
    await stopped.next()
    setImmediate(() => stop.abort(new Error('stopped')))
    await expect(stopped.next()).rejects.toThrow('stopped')
    for await (const _ of new V3Client(options).exportRows('blocks', {})) break
    expect(aborted?.aborted).toBe(true)
  })
})
