import { isApiKeyText, makeApiKey } from '@shardwalk/db'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { clientAddress, isLoopback } from './client-address.ts'
import { methodCost } from './cost.ts'
import { credentialOf } from './credentials.ts'
import { FailedAttempts } from './failed-attempts.ts'
import { RateLimits, windowOf } from './rate-limits.ts'

describe('keys', () => {
  test('a created key is valid, and with any character changed it is not', () => {
    fc.assert(
      fc.property(fc.nat(74), fc.constantFrom(...'0123456789abcdefgz'), (at, character) => {
        const key = makeApiKey()
        expect(isApiKeyText(key)).toBe(true)
        const changed = `${key.slice(0, at)}${character}${key.slice(at + 1)}`
        expect(isApiKeyText(changed)).toBe(changed === key)
      }),
    )
  })

  test('an empty key counts as none, and a repeated header counts once', () => {
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
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7'],
    // Proxies such as Azure's add the port.
    ['192.0.2.7:4711', '192.0.2.7'],
    ['[2001:db8:a:b::1]:4711', '2001:db8:a:b::/64'],
    ['[::ffff:192.0.2.7]:4711', '192.0.2.7'],
  ])('%s counts as %s', (ip, expected) => expect(clientAddress(ip)).toBe(expected))

  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '[::1]:4711'])(
    '%s is this machine',
    (ip) => expect(isLoopback(ip)).toBe(true),
  )
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

test('costs depend on what a method runs', () => {
  expect(methodCost('getAddressInformation')).toBe(1)
  for (const name of ['runGetMethod', 'runGetMethodStd', 'estimateFee'] as const)
    expect(methodCost(name)).toBe(2)
})

test('an address is blocked after twenty failed attempts; successful ones do not count', async () => {
  const failures = new FailedAttempts()
  const attempt = () => failures.begin('192.0.2.1')
  for (let i = 0; i < 19; i++) await attempt()
  for (let i = 0; i < 50; i++) {
    await attempt()
    await failures.succeed('192.0.2.1')
  }
  expect(await attempt()).toBe(0)
  expect(await attempt()).toBeGreaterThan(0)
  expect(await failures.begin('192.0.2.2')).toBe(0)
})

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.9.9.9', true],
  ['192.0.2.127', false],
  ['::ffff:192.0.2.1', false],
])('%s on this machine: %s', (ip, expected) => expect(isLoopback(ip)).toBe(expected))

test('a clock that is set back while clients are refused does not lengthen the time', async () => {
  const limits = new RateLimits()
  const failures = new FailedAttempts()
  for (let i = 0; i < 3; i++) await limits.take('a', 1, 1)
  for (let i = 0; i < 21; i++) await failures.begin('192.0.2.1')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 259_200_000 })
  try {
    expect(await limits.take('a', 1, 1)).toMatchObject({ allowed: false, resetMs: 2_000 })
    expect(await failures.begin('192.0.2.1')).toBe(10)
  } finally {
    vi.useRealTimers()
  }
})
