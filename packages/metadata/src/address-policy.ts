import { BlockList, isIP } from 'node:net'

/** Says whether a connection to this IP address (text, no zone, no brackets) is allowed. */
export type AddressPolicy = (address: string) => boolean

/** Source: IANA IPv4 Special-Purpose Address Registry, RFC 5771 (multicast), RFC 1112 (240/4), RFC 7526 (6to4 relays). */
export const DENIED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const

/**
 * Only this prefix is handed out as public unicast (RFC 4291, IANA IPv6 Address Space). Loopback, private, link-local, multicast, and every
 * form that carries an IPv4 address (mapped, compatible, NAT64) lie outside of it.
 */
export const PUBLIC_IPV6 = '2000::/3'

/** Inside 2000::/3 and yet special: protocol assignments with Teredo and ORCHID, documentation, AS112, 6to4, documentation. */
export const DENIED_IPV6 = [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '3ffe::/16',
] as const

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return list
}

const DENIED = { 4: blockList(DENIED_IPV4), 6: blockList(DENIED_IPV6) }
const PUBLIC_6 = blockList([PUBLIC_IPV6])

/** The policy of production: public unicast only. What is no IP address is not allowed. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !DENIED[4].check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return PUBLIC_6.check(address, 'ipv6') && !DENIED[6].check(address, 'ipv6')
}

/** Public addresses without the given networks (CIDR or single addresses): the deployment's own. */
export function publicExcept(networks: readonly string[]): AddressPolicy {
  const own = blockList(networks)
  return (address) => isPublicAddress(address) && !own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
