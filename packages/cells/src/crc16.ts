const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let i = 0; i < 8; i++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  return crc
})

/**
 * CRC-16/XMODEM (polynomial 0x1021, initial value 0) of `bytes[from, to)`. It ends user-friendly addresses
 * (TEP-2) and is part of get-method ids (see `methodId` in packages/contracts).
 */
export function crc16(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let crc = 0
  for (let i = from; i < to; i++) crc = ((crc << 8) & 0xffff) ^ TABLE[(crc >> 8) ^ bytes[i]!]!
  return crc
}
