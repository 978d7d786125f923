import { BlockList, isIP } from 'node:net'

/** Decides whether connections to an IP address (text, without zone or brackets) are allowed. */
export type AddressPolicy = (address: string) => boolean

/**
 * Source: IANA IPv4 Special-Purpose Address Registry, RFC 5771 (multicast), RFC 1112 (240/4), RFC 7526 (6to4
 * relays).
 */
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
 * The only prefix allocated for public unicast. Loopback, private, link-local and multicast addresses and all
 * forms that contain an IPv4 address (mapped, compatible, NAT64) lie outside it.
 * Source: RFC 4291, IANA IPv6 Address Space.
 */
const PUBLIC_IPV6 = '2000::/3'

/**
 * Special ranges inside 2000::/3: protocol assignments (Teredo, ORCHID), documentation, AS112, 6to4,
 * documentation.
 */
const DENIED_IPV6 = [
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

const makeLists = () => ({
  denied4: blockList(DENIED_IPV4),
  denied6: blockList(DENIED_IPV6),
  public6: blockList([PUBLIC_IPV6]),
})
/** Made for the first address: that takes milliseconds, and most processes look at none. */
let lists: ReturnType<typeof makeLists> | undefined

/** The default policy: public unicast addresses only. Anything that is not an IP address is not allowed. */
export function isPublicAddress(address: string): boolean {
  lists ??= makeLists()
  const family = isIP(address)
  if (family === 4) return !lists.denied4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return lists.public6.check(address, 'ipv6') && !lists.denied6.check(address, 'ipv6')
}

/** Public addresses except the given networks (CIDR or single addresses), e.g. those of the deployment. */
export function publicExcept(networks: readonly string[]): AddressPolicy {
  const own = blockList(networks)
  return (address) => isPublicAddress(address) && !own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
