import { crc16 } from '@shardwalk/cells'

const TAG = 0x2d
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * 55 characters: base32 of tag, address and CRC-16, without the first character, which is the same for all.
 * Source: node, `tdutils/td/utils/misc.h` and `tonlib/keys`, `AdnlAddress`.
 */
export function adnlAddressText(address: Buffer): string {
  const bytes = Buffer.concat([Buffer.from([TAG]), address, Buffer.alloc(2)])
  bytes.writeUInt16BE(crc16(bytes, 0, 33), 33)
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const fives = bits.match(/.{5}/g) ?? []
  return fives
    .map((five) => BASE32[Number.parseInt(five, 2)])
    .join('')
    .slice(1)
}
