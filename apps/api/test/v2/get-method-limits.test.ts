// Arguments of one caller do not affect the get-methods of others.
import { Builder, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningApi, SOMEBODY, startApi, warmUp } from './running-api.ts'

let api: RunningApi
/** Whose clients wait for each other, as long as a request may. */
let impatient: RunningApi
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
  impatient = await startApi([{}], { untrustedTimeoutMs: 60_000, requestDeadlineMs: isLong ? 2_000 : 700 })
  await warmUp(impatient)
})
afterAll(async () => {
  await api.close()
  await impatient.close()
})

const post = (path: string, body: object, signal?: AbortSignal) =>
  fetch(new URL(path, api.base), { method: 'POST', body: JSON.stringify(body), signal: signal ?? null })
const seqno = async (stack: readonly unknown[] = []) =>
  (await post('/api/v2/runGetMethod', { address: SOMEBODY, method: 'seqno', stack })).status

const EMPTY = serializeBoc(EMPTY_CELL).toString('base64')
/** PUSHINT 0; PUSHCONT { INC }; AGAIN: counts until the gas is used up. */
const ENDLESS_CODE = serializeBoc(new Builder().storeBytes(Buffer.from('7091a4ea', 'hex')).endCell())
const ENDLESS = {
  body: EMPTY,
  init_code: ENDLESS_CODE.toString('base64'),
  init_data: EMPTY,
  ignore_chksig: true,
}

test('1,022 stack entries and more are refused by name, and no code is suspended', async () => {
  const entries = (count: number) => Array.from({ length: count }, (_, i) => ['num', i])
  expect(await seqno(entries(1000))).toBe(200)
  for (const count of [1001, 1022, 1023, 1024, 8000]) {
    const call = { address: SOMEBODY, method: 'seqno', stack: entries(count) }
    const reply = await post('/api/v2/runGetMethod', call)
    expect([reply.status, await reply.text()]).toEqual([
      422,
      expect.stringContaining(`TVM stack size exceeds limit: ${count} entries, at most 1000`),
    ])
  }
  // Deep cells count too: 990 entries above a cell of depth 100.
  let deep = EMPTY_CELL
  for (let depth = 0; depth < 100; depth++) deep = new Builder().storeRef(deep).endCell()
  const stack = [['tvm.Cell', serializeBoc(deep).toString('base64')], ...entries(990)]
  for (let time = 0; time < 4; time++) expect(await seqno(stack)).toBe(422)
  expect(await seqno()).toBe(200)
  expect(await seqno(entries(1))).toBe(200)
  expect(api.tvm.counters).toMatchObject({ crashes: 0, timeouts: 0 })
})

test('lists of 900 elements are passed and returned; what is nested deeper is refused by name', async () => {
  const number = {
    '@type': 'tvm.stackEntryNumber',
    number: { '@type': 'tvm.numberDecimal', number: '5' },
  }
  type Entry = Readonly<Record<string, unknown>>
  const list = (elements: readonly Entry[]): Entry => ({
    '@type': 'tvm.stackEntryList',
    list: { '@type': 'tvm.list', elements },
  })
  const tuple = (element: Entry): Entry => ({
    '@type': 'tvm.stackEntryTuple',
    tuple: { '@type': 'tvm.tuple', elements: [element] },
  })
  const nested = (depth: number) => Array.from({ length: depth }).reduce<Entry>(tuple, number)
  const call = async (entry: Entry) => {
    const reply = await post('/api/v2/runGetMethodStd', {
      address: SOMEBODY,
      method: 'seqno',
      stack: [entry],
    })
    return [reply.status, await reply.json()]
  }
  const long = list(Array.from({ length: 900 }, () => number))
  expect(await call(long)).toMatchObject([200, { result: { stack: [long, {}] } }])
  expect(await call(nested(250))).toMatchObject([200, { result: { stack: [nested(250), {}] } }])
  expect(await call(nested(256))).toMatchObject([533, { error: 'Result stack depth >= 256' }])
  const lists = Array.from({ length: 40 }).reduce<Entry>(
    (last) => list([...Array.from({ length: 249 }, () => list([])), last]),
    number,
  )
  const refusal = { error: 'failed to parse post request: TVM stack depth exceeds limit' }
  expect(await call(lists)).toMatchObject([422, refusal])
  expect(await call(list(Array.from({ length: 1000 }, () => number)))).toMatchObject([422, refusal])
})

test('arguments of more than 8192 cells are refused by name', async () => {
  /** A bag of distinct leaves, four of which hang below each cell. */
  const bag = (leaves: number, from: number) => {
    let cells = Array.from({ length: leaves }, (_, i) => new Builder().storeUint(from + i, 32).endCell())
    while (cells.length > 1)
      cells = Array.from({ length: Math.ceil(cells.length / 4) }, (_, i) => {
        const parent = new Builder()
        for (const cell of cells.slice(4 * i, 4 * i + 4)) parent.storeRef(cell)
        return parent.endCell()
      })
    return serializeBoc(cells[0]!).toString('base64')
  }
  const call = async (...stack: unknown[]) =>
    (await post('/api/v2/runGetMethod', { address: SOMEBODY, method: 'seqno', stack })).text()
  expect(await call(['tvm.Cell', bag(6200, 0)])).toContain('8270 cells, at most 8192')
  const slices = [0, 3000, 6000].map((from) => ['tvm.Slice', bag(2100, from)])
  expect(await call(...slices)).toMatch(/TVM stack size exceeds limit: .*8\d\d\d cells, at most 8192/)
  expect(await call(...slices.slice(1))).toContain('"ok":true')
})

test('code of clients runs apart from get-methods, and calls of departed clients do not wait', async () => {
  const call = { address: `0:${'7'.repeat(64)}`, ...ENDLESS }
  const before = api.tvm.counters.calls
  const leaving = new AbortController()
  const calls = Array.from({ length: 12 }, () => post('/api/v3/estimateFee', call, leaving.signal))
  const outcomes = Promise.allSettled(calls)
  await expect.poll(() => api.untrustedTvm.waiting).toBeGreaterThan(5)
  expect(api.tvm.counters.calls).toBe(before)
  expect(await seqno()).toBe(200)
  leaving.abort()
  await outcomes
  await expect.poll(() => api.untrustedTvm.waiting).toBe(0)
})

test.each(['v2', 'v3'])(
  'who waits for others at estimateFee of %s gets an error that says so at the deadline',
  async (version) => {
    const url = new URL(`/api/${version}/estimateFee`, impatient.base)
    const ask = async (id: number) => {
      const call = { address: `0:${String(id).padStart(64, '7')}`, ...ENDLESS }
      const reply = await fetch(url, { method: 'POST', body: JSON.stringify(call) })
      await reply.arrayBuffer()
      return reply.status
    }
    const statuses = await Promise.all(Array.from({ length: 40 }, (_, id) => ask(id)))
    expect(statuses).toContain(504)
  },
)
