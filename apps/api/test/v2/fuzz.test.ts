import { type ExactJson, toJsonText, V2_METHODS, type V2Method } from '@shardwalk/api-schema'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningApi, startApi } from './running-api.ts'

/** Requests per run; `FUZZ_RUNS` asks for more. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 1500)
/** Source: API v2 specification 1.7. Lite servers refuse in their own words with 500; nothing else is one. */
const DOCUMENTED = new Set([200, 404, 405, 409, 413, 414, 422, 533, 542])
/** What a lite server, or the checks before sending, say of a well-formed question that has no answer. */
const REFUSAL =
  /^(LITE_SERVER_[A-Z]+: |VALIDATE_ACCOUNT_STATE|Failed to unpack Message|CommonMsgInfo tag|get method failed|invalid dnsresolve|from mc block is too old|chain is too long|Unsuppored stack entry|INTERNALestimate_fee)/
const SLOWEST_MS = 12_000

let api: RunningApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const ADDRESS = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
/** Values near the edges of every kind of parameter. */
const EDGES: readonly string[] = [
  '',
  '0',
  '1',
  '-1',
  '529',
  '530',
  '2147483647',
  '2147483648',
  '-9223372036854775808',
  '9223372036854775808',
  '8000000000000000',
  '1e3',
  '1.5',
  'NaN',
  'true',
  'null',
  '[]',
  '{}',
  ADDRESS,
  `${ADDRESS}0`,
  ADDRESS.toUpperCase(),
  '-1:3333333333333333333333333333333333333333333333333333333333333333',
  '5:3333333333333333333333333333333333333333333333333333333333333333',
  '2147483648:3333333333333333333333333333333333333333333333333333333333333333',
  'Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF',
  'CPUE4WXeEJT+Dwz1fY/rkreWvYnsOt3I44i1G5ojJPM=',
  'CPUE4WXeEJT+Dwz1fY/rkreWvYnsOt3I44i1G5ojJPM',
  'te6cckEBAQEAAgAAAEysuc0=',
  'te6cckEBAQEAAgAAAEysuc0',
  'AAAA',
  'seqno',
  '0x14c97',
  '__proto__',
  'constructor',
  '\u0000',
  '💎'.repeat(50),
  'A'.repeat(5000),
]
const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...EDGES) }, fc.string({ unit: 'binary', maxLength: 60 }))
const stackEntry = fc.oneof(
  fc.tuple(
    fc.constantFrom('num', 'tvm.Cell', 'slice', 'tuple', 'list', 'tvm.Builder', '__proto__'),
    fc.oneof(text, fc.jsonValue({ maxDepth: 3 })),
  ),
  fc.jsonValue({ maxDepth: 4 }),
)
const value = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.integer(),
  fc.constantFrom(1.5, true, null, 2 ** 53, 1e300),
  fc.array(stackEntry, { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 2 }),
)

const METHODS = Object.entries<V2Method>(V2_METHODS)
const request = fc.constantFrom(...METHODS).chain(([name, { parameters }]) =>
  fc.record({
    name: fc.constant(name),
    form: fc.constantFrom('get', 'post', 'rpc'),
    values: fc.record(Object.fromEntries(Object.keys(parameters).map((key) => [key, value])), { requiredKeys: [] }),
    foreign: fc.option(fc.tuple(fc.string({ maxLength: 10 }), value), { freq: 8 }),
  }),
)

type Request = { name: string; form: string; values: object; foreign: [string, unknown] | null }

function send({ name, form, values, foreign }: Request): Promise<Response> {
  const all = { ...values, ...(foreign ? { [foreign[0]]: foreign[1] } : {}) }
  const signal = AbortSignal.timeout(SLOWEST_MS)
  if (form === 'get') {
    const query = new URLSearchParams(
      Object.entries(all).map(
        ([key, item]): [string, string] =>
          [key, String(JSON.stringify(item)).replace(/^"|"$/g, '')] as [string, string],
      ),
    )
    return fetch(`${api.base}/${name}?${query}`, { signal })
  }
  const body = toJsonText((form === 'rpc' ? { method: name, params: all } : all) as ExactJson)
  return fetch(`${api.base}/${form === 'rpc' ? 'jsonRPC' : name}`, { method: 'POST', body, signal })
}

test('every generated request gets a documented answer, whatever it holds', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(request, async (given) => {
      const reply = await send(given as Request)
      const answer = (await reply.json()) as { ok: boolean; error?: string; code?: number }
      expect(answer.ok).toBe(reply.status === 200)
      if (answer.ok) return
      expect(answer.code).toBe(reply.status)
      expect(answer.error).toMatch(/./)
      const isRefused = (reply.status === 500 || reply.status === 400) && REFUSAL.test(answer.error!)
      if (!isRefused) expect([...DOCUMENTED], answer.error).toContain(reply.status)
    }),
    { numRuns: RUNS, ...(process.env['FUZZ_SEED'] ? { seed: Number(process.env['FUZZ_SEED']) } : {}), verbose: 1 },
  )
})

test('bodies that are no JSON, too deep, too large or cut are refused', async () => {
  const post = async (body: string | Buffer) => (await fetch(`${api.base}/jsonRPC`, { method: 'POST', body })).status
  expect(await post('{"id":1,')).toBe(422)
  expect(await post('['.repeat(500_000))).toBe(422)
  expect(await post(`{"method":${'['.repeat(3000)}${']'.repeat(3000)}}`)).toBe(422)
  expect(await post(Buffer.from([0xff, 0xfe, 0x00]))).toBe(422)
  expect(await post(`{"method":"${'a'.repeat(1_100_000)}"}`)).toBe(413)
  expect((await fetch(`${api.base}/getAddressBalance?address=${'a'.repeat(9000)}`)).status).toBe(414)
  expect((await fetch(`${api.base}/sendBoc`)).status).toBe(405)
  expect((await fetch(`${api.base}/getMasterchainInfo`, { method: 'PUT' })).status).toBe(405)
  expect((await fetch(`${api.base}/noSuchMethod`, { method: 'POST' })).status).toBe(404)
})
