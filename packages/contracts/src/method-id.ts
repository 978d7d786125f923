/** CRC-16/XMODEM: polynomial 0x1021, initial value 0. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let i = 0; i < 8; i++)
      crc = (crc & 0x8000) !== 0 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  return crc
}

/** Number of a get-method by its name. Source: TVM convention, `crc16(name) | 0x10000`. */
export const methodId = (name: string): number => crc16(Buffer.from(name)) | 0x10000
