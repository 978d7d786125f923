import { isIPv6 } from 'node:net'

/** Whether the request comes from this machine. */
export const isLoopback = (ip: string | undefined): boolean =>
  ip !== undefined && /^(::1|127\.\d+\.\d+\.\d+)$/.test(plainAddress(ip))

/**
 * Identifies an anonymous client: an IPv4 address, or the /64 of an IPv6 address, which is what a subscriber
 * gets. `ip`: `request.ip` of Express, which takes trusted proxies into account.
 */
export function clientAddress(ip: string | undefined): string {
  if (!ip) return 'unknown'
  const plain = plainAddress(ip)
  if (!isIPv6(plain)) return plain
  const [head = '', tail = ''] = plain.replace(/%.*$/, '').toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const zeros = plain.includes('::')
    ? Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
    : []
  return `${[...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/**
 * Without a port, which some proxies add to addresses: otherwise each connection would be a client. An IPv4
 * address that is written as an IPv6 address is written as itself.
 */
function plainAddress(ip: string): string {
  const bare = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(ip)
  const address = bare?.[1] ?? bare?.[2] ?? ip
  const mapped = /^(?:::|(?:0{1,4}:){5})ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i.exec(
    address,
  )
  if (!mapped) return address
  const [, dotted, high = '', low = ''] = mapped
  if (dotted !== undefined) return dotted
  const bytes = [high, low].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
  return bytes.join('.')
}
