import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DENIED_IPV4, isPublicAddress, publicExcept } from './address-policy.ts'

const v4 = (n: number): string => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.')
const v6 = (n: bigint): string =>
  Array.from({ length: 8 }, (_, i) => ((n >> BigInt(112 - 16 * i)) & 0xffffn).toString(16)).join(':')
const number4 = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const INSIDE: readonly (readonly [string, boolean])[] = [
  ['8.8.8.8', true],
  ['1.1.1.1', true],
  ['100.63.255.255', true],
  ['100.64.0.0', false],
  ['100.127.255.255', false],
  ['100.128.0.0', true],
  ['172.15.255.255', true],
  ['172.16.0.0', false],
  ['172.31.255.255', false],
  ['172.32.0.0', true],
  ['169.254.169.254', false],
  ['0.0.0.0', false],
  ['127.8.9.10', false],
  ['198.18.0.1', false],
  ['223.255.255.255', true],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:8.8.8.8', false],
  ['::7f00:1', false],
  ['64:ff9b::7f00:1', false],
  ['64:ff9b:1::a00:1', false],
  ['100::1', false],
  ['2001::1', false],
  ['2001:db8::1', false],
  ['2002:7f00:1::', false],
  ['2606:4700:4700::1111', true],
  ['2a00:1450:4001::64', true],
  ['3fff::1', false],
  ['fc00::1', false],
  ['fd12:3456::1', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['localhost', false],
  ['', false],
  ['127.1', false],
  ['0x7f.0.0.1', false],
  ['[::1]', false],
]

test.each(INSIDE)('the default policy for %s is %s', (address, allowed) => {
  expect(isPublicAddress(address)).toBe(allowed)
})

test('an IPv4 address is allowed exactly if no denied network contains it', () => {
  const networks = DENIED_IPV4.map((network) => {
    const [start = '', bits] = network.split('/')
    return { from: number4(start), to: number4(start) + 2 ** (32 - Number(bits)) - 1 }
  })
  const edges = networks
    .flatMap(({ from, to }) => [from - 1, from, to, to + 1])
    .filter((n) => n >= 0 && n < 2 ** 32)
  const address = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(...edges))
  fc.assert(
    fc.property(address, (n) => {
      const denied = networks.some(({ from, to }) => n >= from && n <= to)
      expect(isPublicAddress(v4(n))).toBe(!denied)
    }),
    { numRuns: 3000 },
  )
})

test('no IPv6 address outside 2000::/3 is allowed, whatever IPv4 address it embeds', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (n) => {
      const global = n >> 125n === 1n
      if (!global) expect(isPublicAddress(v6(n))).toBe(false)
    }),
    { numRuns: 3000 },
  )
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffffff }), (n) => {
      const low = BigInt(n)
      for (const high of [0n, 0xffffn << 32n, 0x64ff9bn << 96n, 0xfe80n << 112n])
        expect(isPublicAddress(v6(high + low))).toBe(false)
      expect(isPublicAddress(v6((0x2002n << 112n) + (low << 80n)))).toBe(false)
    }),
  )
})

test('networks of the deployment are denied as well', () => {
  const isAllowed = publicExcept(['8.8.8.0/24', '2a00:1450::/32', '9.9.9.9'])
  expect(['8.8.8.8', '2a00:1450::1', '9.9.9.9', '10.0.0.1'].map(isAllowed)).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(['8.8.4.4', '2a00:1451::1'].map(isAllowed)).toEqual([true, true])
})
