import type { AdnlAddressList } from '@shardwalk/tl'

/** Where datagrams go. */
export interface UdpAddress {
  /** IPv4 or IPv6 address as text. */
  readonly host: string
  readonly port: number
}

/** First address of a list that is UDP over IPv4; undefined if there is none or the list has expired. */
export function udpAddressOf({ addrs, expireAt }: AdnlAddressList, unixTime: number): UdpAddress | undefined {
  if (expireAt !== 0 && expireAt < unixTime) return undefined
  for (const address of addrs)
    if (address.kind === 'adnl.address.udp' && address.port > 0 && address.port < 65_536)
      return {
        host: [24, 16, 8, 0].map((shift) => (address.ip >>> shift) & 255).join('.'),
        port: address.port,
      }
  return undefined
}

/** `ip` of an address as TL has it: the four bytes as one signed number. */
export const ipNumber = (host: string): number =>
  host.split('.').reduce((sum, byte) => (sum << 8) | Number(byte), 0)
