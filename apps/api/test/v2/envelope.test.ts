import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
const HASH = '00'.repeat(32)
/** `<unix seconds>:<servers or _>:<seconds>`. */
const MADE = /^\d+:(_|\d+(,\d+)*):\d+\.\d+$/

let api: RunningApi
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
})
afterAll(() => api?.close())

async function send(verb: string, path: string, body?: string) {
  const reply = await fetch(`${api.base}/${path}`, { method: verb, ...(body !== undefined && { body }) })
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, body: text === '' ? {} : JSON.parse(text) }
}

test.each(['', '{', '[]', 'null', '"text"', 'address=x'])('a body is refused as one: %j', async (body) => {
  for (const path of ['getAddressBalance', 'runGetMethod', 'jsonRPC']) {
    const reply = await send('POST', path, body)
    expect([path, reply.status]).toEqual([path, 422])
    expect(reply.body.error).toMatch(/^failed to parse post request: /)
  }
})

const message = `source=${WALLET}&destination=${WALLET}&created_lt=100000000`

test('only what names no method has an `@extra` without time and servers', async () => {
  const missing = await send('GET', `tryLocateTx?${message}`)
  expect(missing).toMatchObject({ status: 404, body: { ok: false, error: 'transaction not found' } })
  expect(missing.body['@extra']).toMatch(MADE)
  expect((await send('GET', `tryLocateTx?${message}&@extra=mine`)).body['@extra']).toBe('mine')
  expect((await send('GET', 'nothing')).body['@extra']).toBe('_')
  expect((await send('POST', 'jsonRPC', '{"method":"nothing"}')).body['@extra']).toBe('_')
})

test.each([
  ['GET', `detectHash?hash=${HASH}`, 200],
  ['GET', 'detectHash', 422],
  ['GET', 'nothing', 404],
  ['OPTIONS', 'jsonRPC', 204],
])('the version is that of TON Center’s interface: %s %s', async (verb, path, status) => {
  const reply = await send(verb, path)
  expect(reply.status).toBe(status)
  expect(reply.headers.get('x-api-version')).toBe('2.1.1')
})
