import { createHash } from 'node:crypto'
import { Cell } from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { type RunningApi, startApi } from './running-api.ts'

let api: RunningApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api?.close())

const SHARD = '-9223372036854775808'
const PLACES = [
  { workchain: -1, shard: SHARD, seqno: 300 },
  { workchain: 0, shard: SHARD, seqno: 39 },
]

const get = async (query: object) =>
  (await fetch(`${api.base}/getBlock?${new URLSearchParams(query as Record<string, string>)}`)).json()
const post = async (path: string, body: object) =>
  (
    await fetch(`${api.base}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  ).json()

test.each(PLACES)('a block has the hashes of its id: %o', async (place) => {
  const { result } = (await get(place)) as { result: { '@type': string; id: Json; data: string } }
  expect(result).toMatchObject({ '@type': 'blocks.blockData', id: { '@type': 'ton.blockIdExt', ...place } })
  const bytes = Buffer.from(result.data, 'base64')
  expect(createHash('sha256').update(bytes).digest('base64')).toBe(result.id['file_hash'])
  expect(Cell.fromBoc(bytes).map((root) => root.hash().toString('base64'))).toEqual([result.id['root_hash']])
  const { root_hash, file_hash } = result.id
  expect(((await get({ ...place, root_hash, file_hash })) as Json)['result']).toEqual(result)
  expect(((await post('getBlock', place)) as Json)['result']).toEqual(result)
  expect(((await post('jsonRPC', { method: 'getBlock', params: place })) as Json)['result']).toEqual(result)
})

test('a block that a client gives hashes of another one is not returned', async () => {
  const [{ result: one }, { result: other }] = (await Promise.all(PLACES.map(get))) as [never, never]
  const { root_hash } = one['id'] as Json
  const { file_hash } = other['id'] as Json
  const { ok, code } = (await get({ ...PLACES[1], root_hash, file_hash })) as Json
  expect([ok, code]).toEqual([false, 500])
})
