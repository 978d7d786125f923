import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FetchError, type FetchOptions, fetchUrl, isPublicAddress } from '../src/index.ts'

/**
 * First and last address of every range that is not public, each tried in the four ways a stranger can supply
 * it.
 */
const RANGES: Readonly<Record<string, readonly [first: string, last: string]>> = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  'private 10/8': ['10.0.0.0', '10.255.255.255'],
  'carrier NAT': ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.255.255.255'],
  'link-local': ['169.254.0.0', '169.254.255.255'],
  'private 172.16/12': ['172.16.0.0', '172.31.255.255'],
  'protocol assignments': ['192.0.0.0', '192.0.0.255'],
  'documentation 1': ['192.0.2.0', '192.0.2.255'],
  'private 192.168/16': ['192.168.0.0', '192.168.255.255'],
  benchmarks: ['198.18.0.0', '198.19.255.255'],
  'documentation 2': ['198.51.100.0', '198.51.100.255'],
  'documentation 3': ['203.0.113.0', '203.0.113.255'],
  multicast: ['224.0.0.0', '239.255.255.255'],
  'reserved and broadcast': ['240.0.0.0', '255.255.255.255'],
  'unspecified and loopback, IPv6': ['::', '::1'],
  'IPv4 in IPv6': ['::ffff:8.8.8.8', '::ffff:127.0.0.1'],
  'translated IPv4': ['64:ff9b::808:808', '64:ff9b::7f00:1'],
  'discard only': ['100::', '100::ffff:ffff:ffff:ffff'],
  'documentation, IPv6': ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  '6to4': ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'unique local': ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'link-local, IPv6': ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'multicast, IPv6': ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
}

let server: Server
let port = 0
let location = ''
beforeAll(async () => {
  server = createServer((_, reply) => reply.writeHead(302, { location }).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

async function faultOf(url: string, options: FetchOptions = {}): Promise<string> {
  try {
    await fetchUrl(url, { timeoutMs: 1000, ...options })
    return 'none'
  } catch (error) {
    if (error instanceof FetchError) return error.fault
    throw error
  }
}

const host = (address: string): string => (address.includes(':') ? `[${address}]` : address)

describe.each(Object.entries(RANGES))('%s', (_, addresses) => {
  test.each(addresses)(
    '%s is blocked as a literal, as the first or second DNS answer, and as a redirect target',
    async (address) => {
      expect(await faultOf(`http://${host(address)}/`)).toBe('blocked')
      expect(await faultOf('http://a.example/', { resolve: async () => [address] })).toBe('blocked')
      expect(await faultOf('http://a.example/', { resolve: async () => ['8.8.8.8', address] })).toBe(
        'blocked',
      )
      location = `http://${host(address)}/x`
      const here = '127.0.0.1'
      // Only the redirecting server is allowed; if its own range is tested, it is reached by name.
      const isAllowed = (one: string) => (one === here && address !== here) || isPublicAddress(one)
      expect(await faultOf(`http://b.example:${port}/`, { isAllowed, resolve: async () => [here] })).toBe(
        'blocked',
      )
    },
  )
})

test('decimal, octal, hexadecimal and short forms of addresses are recognised', async () => {
  for (const form of [
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0177.1',
    '127.1',
    '0x7f.0.0.1',
    '①②⑦.0.0.1',
    '127.0.0.1.',
  ])
    expect(await faultOf(`http://${form}/`), form).toBe('blocked')
})
