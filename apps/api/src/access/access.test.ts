import { isApiKeyText, makeApiKey } from '@shardwalk/db'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientAddress } from './client-address.ts'
import { costOf } from './cost.ts'
import { credentialOf } from './credentials.ts'
import { windowOf } from './rate-limits.ts'

describe('keys', () => {
  test('a made key is one, and none with another character in it', () => {
    fc.assert(
      fc.property(fc.nat(74), fc.constantFrom(...'0123456789abcdefgz'), (at, character) => {
        const key = makeApiKey()
        expect(isApiKeyText(key)).toBe(true)
        const changed = `${key.slice(0, at)}${character}${key.slice(at + 1)}`
        expect(isApiKeyText(changed)).toBe(changed === key)
      }),
    )
  })

  test('an empty key is none, and a repeated header counts once', () => {
    expect(credentialOf({ headers: { 'x-api-key': '' }, url: '/x?api_key=' })).toBeUndefined()
    expect(credentialOf({ headers: { 'x-api-key': ' k ' }, url: '/x' })).toBe('k')
    expect(credentialOf({ headers: { authorization: 'Basic abc' }, url: '/x' })).toBeUndefined()
  })
})

describe('addresses', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:a:b:1:2:3:4', '2001:db8:a:b::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:000a::', '2001:db8:a:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s counts as %s', (ip, expected) => expect(clientAddress(ip)).toBe(expected))
})

test('a window holds the rate, and at least two requests', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (tenths) => {
      const rate = tenths / 10
      const { limit, seconds } = windowOf(rate)
      expect(Number.isInteger(seconds)).toBe(true)
      expect(limit).toBeGreaterThanOrEqual(2)
      expect(Math.abs(limit / seconds - rate)).toBeLessThanOrEqual(0.5 / seconds)
    }),
  )
})

test('costs go by what a request runs', () => {
  expect(costOf('/api/v3/transactions')).toBe(1)
  expect(costOf('/api/v2/runGetMethod')).toBe(2)
  expect(costOf('/api/v2/runGetMethodStd')).toBe(2)
  expect(costOf('/api/v3/estimateFee')).toBe(2)
  expect(costOf('/api/emulate/v1/emulateTrace')).toBe(5)
  for (const free of ['/api/v2', '/api/v3/', '/api/v3/openapi.json', '/api/v2/healthcheck'])
    expect(costOf(free)).toBe(0)
})
