import { isIPv6 } from 'node:net'

/** Whether the request comes from this machine. */
export const isLoopback = (ip: string | undefined): boolean =>
  ip !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(ip)

/**
 * Identifies an anonymous client: an IPv4 address, or the /64 of an IPv6 address, which is what a subscriber
 * gets. `ip`: `request.ip` of Express, which takes trusted proxies into account.
 */
export function clientAddress(ip: string | undefined): string {
  if (!ip) return 'unknown'
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped) return mapped
  if (!isIPv6(ip)) return ip
  const [head = '', tail = ''] = ip.replace(/%.*$/, '').toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const zeros = ip.includes('::') ? Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0') : []
  return `${[...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
