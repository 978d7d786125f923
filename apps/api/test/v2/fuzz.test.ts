import { type ExactJson, toJsonText, V2_METHODS, type V2Method } from '@shardwalk/api-schema'
import { isLong, randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpReply, httpRequest, type RawRequest } from './http-request.ts'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

/** Requests per run. */
const RUNS = randomCases(isLong ? 1500 : 750)
/** A failing run prints its seed; setting FUZZ_SEED repeats it. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)
/** Number of concurrent requests. */
const AT_ONCE = 8
/** Number of requests generated together, from the seed and their index. */
const SAMPLE = 20
/** Statuses that API v2 documents, and 401 for keys. A 500 is allowed only for a refusal by a lite server. */
const DOCUMENTED = new Set([200, 401, 404, 405, 409, 413, 414, 422, 533, 542])
/** What a lite server, or the checks before sending, answer to a well-formed request without a result. */
const REFUSAL =
  /^(LITE_SERVER_[A-Z]+: |VALIDATE_ACCOUNT_STATE|Failed to unpack Message|CommonMsgInfo tag|get method fail)/
const OTHER_REFUSAL =
  /^(invalid dnsresolve|(lookup )?from (mc )?block|chain is too long|Unsuppored stack|INTERNALestimate_fee)/
/** What took too long: the request's body, or its reply. */
const BUSY = new Set([408, 504])
/** Limit for a request; the service itself gives up after ten seconds. */
const SLOWEST_MS = 30_000

let api: RunningApi
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
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
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...EDGES) },
  fc.string({ unit: 'binary', maxLength: 60 }),
)
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

/** Endpoints of API v3 that use lite servers, with the parameters of API v2. */
const LEGACY: Readonly<Record<string, V2Method['parameters']>> = {
  addressInformation: {
    ...V2_METHODS.getAddressInformation.parameters,
    use_v2: V2_METHODS.getTransactions.parameters.archival,
  },
  walletInformation: V2_METHODS.getAddressInformation.parameters,
  message: V2_METHODS.sendBoc.parameters,
  estimateFee: V2_METHODS.estimateFee.parameters,
  runGetMethod: V2_METHODS.runGetMethod.parameters,
}
const TARGETS: readonly (readonly [path: string, parameters: V2Method['parameters']])[] = [
  ...Object.entries<V2Method>(V2_METHODS).map(
    ([name, { parameters }]) => [`/api/v2/${name}`, parameters] as const,
  ),
  ...Object.entries(LEGACY).map(([name, parameters]) => [`/api/v3/${name}`, parameters] as const),
]

/**
 * JSON that JSON.stringify cannot produce: duplicate keys, prototype keys, deep nesting, huge numbers,
 * truncated text.
 */
const UNUSUAL_JSON = [
  '{"address":"0:00","address":{}}',
  '{"__proto__":{"method":"seqno"},"method":"getMasterchainInfo"}',
  '{"constructor":{"prototype":{}},"toString":1}',
  `{"method":"getShards","params":{"seqno":${'9'.repeat(400)}}}`,
  `{"method":"getShards","params":{"seqno":1e999},"id":-0.0}`,
  `{"method":"runGetMethod","params":{"address":"${ADDRESS}","method":"seqno",` +
    `"stack":${'[["tuple",'.repeat(300)}[]${']]'.repeat(300)}}}`,
  `{"method":${'['.repeat(5000)}`,
  '{"method":"\\ud800","params":{"address":"\\udfff"}}',
  '\ufeff{"method":"getMasterchainInfo"}',
  '{"method":"getMasterchainInfo"}garbage',
  '[{"method":"getMasterchainInfo"}]',
  '"getMasterchainInfo"',
  'null',
  '',
]
const JSON_RPC_FRAME = fc.record(
  {
    id: fc.oneof(value, fc.constant(2n ** 80n)),
    jsonrpc: value,
    method: value,
    '@extra': value,
    params: value,
  },
  { requiredKeys: [] },
)
const CONTENT_TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'x',
]
const PERCENT = ['%', '%zz', '%ff', '%00', '%c0%80', '&&&', '=', '?', '#', '+', '[]=', '%F0%9F%92']

const keyed = (parameters: V2Method['parameters']) =>
  fc.record(Object.fromEntries(Object.keys(parameters).map((key) => [key, value])), { requiredKeys: [] })
const foreign = fc.option(
  fc.tuple(
    fc.oneof(fc.constantFrom('__proto__', '@extra', 'constructor'), fc.string({ maxLength: 10 })),
    value,
  ),
  {
    freq: 8,
  },
)
const asText = (item: unknown): string => (typeof item === 'string' ? item : toJsonText(item as ExactJson))

/** A query with the declared parameters, some repeated, some malformed. */
const queryRequest = fc.constantFrom(...TARGETS).chain(([path, parameters]) =>
  fc
    .record({
      values: keyed(parameters),
      again: fc.option(keyed(parameters), { freq: 8 }),
      foreign,
      broken: fc.option(fc.constantFrom(...PERCENT), { freq: 8 }),
    })
    .map(({ values, again, foreign: extra, broken }): RawRequest => {
      const pairs = [...Object.entries(values), ...Object.entries(again ?? {}), ...(extra ? [extra] : [])]
      const query = pairs.map(([key, item]) => `${escaped(key)}=${escaped(asText(item))}`).join('&')
      return { verb: 'GET', path: `${path}?${query}${broken ?? ''}` }
    }),
)
const escaped = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

/** How a body is sent and damaged. */
const delivery = fc.record({
  type: fc.option(fc.constantFrom(...CONTENT_TYPES), { freq: 3 }),
  chunked: fc.boolean(),
  damage: fc.option(fc.tuple(fc.nat(), fc.constantFrom(0xff, 0x80, 0xc0, 0x00, 0x22, 0x7b)), { freq: 12 }),
  padding: fc.option(fc.constant(1_100_000), { freq: 400 }),
})

const bodyRequest = fc
  .constantFrom(...TARGETS)
  .chain(([path, parameters]) =>
    fc.record({
      path: fc.constant(path),
      values: keyed(parameters),
      foreign,
      delivery,
      inRpc: fc.boolean(),
      frame: JSON_RPC_FRAME,
    }),
  )
  .map(({ path, values, foreign: extra, delivery: how, inRpc, frame }): RawRequest => {
    const given = { ...values, ...(extra && { [extra[0]]: extra[1] }) }
    const isRpc = inRpc && path.startsWith('/api/v2/')
    const body = isRpc ? { ...frame, method: path.slice('/api/v2/'.length), params: given } : given
    return delivered(isRpc ? '/api/v2/jsonRPC' : path, toJsonText(body as ExactJson), how)
  })

const strangeRequest = fc
  .record({
    target: fc.oneof(
      fc.constantFrom('/api/v2/jsonRPC', ...TARGETS.map(([path]) => path)),
      fc.webPath().map((path) => `/api/v2/${path}`),
    ),
    verb: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'GET'),
    text: fc.oneof(
      fc.constantFrom(...UNUSUAL_JSON),
      JSON_RPC_FRAME.map((frame) => toJsonText(frame as ExactJson)),
      fc.jsonValue().map((json) => JSON.stringify(json)),
      fc.string({ unit: 'binary' }),
    ),
    delivery,
  })
  .map(
    ({ target, verb, text: body, delivery: how }): RawRequest => ({ ...delivered(target, body, how), verb }),
  )

function delivered(
  path: string,
  text: string,
  how: typeof delivery extends fc.Arbitrary<infer T> ? T : never,
): RawRequest {
  const bytes = Buffer.from(how.padding ? text.padEnd(how.padding) : text)
  if (how.damage && bytes.length > 0) bytes[how.damage[0] % bytes.length] = how.damage[1]
  return {
    verb: 'POST',
    path,
    body: bytes,
    chunked: how.chunked,
    ...(how.type && { headers: { 'content-type': how.type } }),
  }
}

const anyRequest = fc.oneof(
  { weight: 4, arbitrary: queryRequest },
  { weight: 4, arbitrary: bodyRequest },
  { weight: 1, arbitrary: strangeRequest },
)

/** Undefined for a documented answer in the envelope of its interface. */
function problemOf({ status, text: answer }: HttpReply, { path }: RawRequest): string | undefined {
  if (status === 200 && /^\/+api\/+v2\/*(index\.html|openapi\.json|healthcheck)?\/*(\?|#|$)/.test(path))
    return undefined
  const body = parsed(answer)
  if (!body) return `no JSON: ${status} ${answer.slice(0, 200)}`
  const isLegacy = path.startsWith('/api/v3/')
  if (!isLegacy && body.ok !== (status === 200))
    return `ok does not fit the status: ${status} ${answer.slice(0, 200)}`
  if (status === 200) return undefined
  if (body.code !== status || !body.error)
    return `the code is not the status, or there is no text: ${status} ${answer}`
  const isRefused =
    (status === 500 || status === 400) && (REFUSAL.test(body.error) || OTHER_REFUSAL.test(body.error))
  return isRefused || DOCUMENTED.has(status) ? undefined : `undocumented: ${status} ${body.error}`
}

function parsed(text: string): { ok?: boolean; error?: string; code?: number } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined when all is well; otherwise the request that reproduces the failure. */
async function tryOut(given: RawRequest): Promise<string | undefined> {
  const send = () => httpRequest(api.base, given, SLOWEST_MS).catch((error: Error) => error)
  const first = await send()
  // A busy lite server or machine is not a fault of this request.
  const reply = first instanceof Error || BUSY.has(first.status) ? await send() : first
  const problem = reply instanceof Error ? `no answer: ${reply.message}` : problemOf(reply, given)
  const shownBody = given.body?.toString('latin1').slice(0, 500) ?? ''
  return problem && `${problem}: ${given.verb} ${given.path.slice(0, 500)} ${shownBody}`
}

test(`every generated request gets a documented reply (seed ${SEED})`, {
  timeout: 7_200_000,
}, async () => {
  const problems: string[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < RUNS && problems.length < 20) {
      const seed = SEED + next
      next += SAMPLE
      if (next % 5_000 === 0) console.info(`${next} requests sent, ${problems.length} problems`)
      for (const given of fc.sample(anyRequest, { seed, numRuns: SAMPLE })) {
        const problem = await tryOut(given)
        if (!problem) continue
        console.error(problem)
        problems.push(problem)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  expect(problems).toEqual([])
})

test('bodies that are not JSON, too deep, too large or truncated are refused', async () => {
  const post = async (body: string | Uint8Array<ArrayBuffer>) =>
    (await fetch(`${api.base}/jsonRPC`, { method: 'POST', body })).status
  expect(await post('{"id":1,')).toBe(422)
  expect(await post('['.repeat(500_000))).toBe(422)
  expect(await post(`{"method":${'['.repeat(3000)}${']'.repeat(3000)}}`)).toBe(422)
  expect(await post(Uint8Array.of(0xff, 0xfe, 0x00))).toBe(422)
  expect(await post(`{"method":"${'a'.repeat(1_100_000)}"}`)).toBe(413)
  expect((await fetch(`${api.base}/getAddressBalance?address=${'a'.repeat(9000)}`)).status).toBe(414)
  expect((await fetch(`${api.base}/sendBoc`)).status).toBe(405)
  expect((await fetch(`${api.base}/getMasterchainInfo`, { method: 'PUT' })).status).toBe(405)
  expect((await fetch(`${api.base}/noSuchMethod`, { method: 'POST' })).status).toBe(404)
})
