import type { Request } from 'express'
import { expect, test } from 'vitest'
import { STREAM_PLANS, StreamPlaces } from './stream-places.ts'

const from = (ip: string) => ({ ip, res: { locals: {} } }) as unknown as Request
const addressesOf = (ip: string, addresses: number): number =>
  new StreamPlaces({ ...STREAM_PLANS, anonymous: { connections: 2, addresses } }).planOf(from(ip)).addresses

test('a stream of the same machine may have 10,000 addresses, and never fewer than others', () => {
  expect(addressesOf('127.0.0.1', 100)).toBe(10_000)
  expect(addressesOf('127.0.0.1', 50_000)).toBe(50_000)
  expect(addressesOf('203.0.113.1', 50_000)).toBe(50_000)
})
