/** CRC-32C (Castagnoli), reflected. Eight tables process eight bytes per step. */
const POLYNOMIAL = 0x82f63b78
const TABLES = makeTables()

function makeTables(): readonly Uint32Array[] {
  const tables = Array.from({ length: 8 }, () => new Uint32Array(256))
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0)
    tables[0]![byte] = crc
  }
  for (let k = 1; k < 8; k++)
    for (let byte = 0; byte < 256; byte++) {
      const below = tables[k - 1]![byte]!
      tables[k]![byte] = (below >>> 8) ^ tables[0]![below & 0xff]!
    }
  return tables
}

/** CRC-32C of `bytes[from, to)` as an unsigned number. */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as readonly [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ]
  let crc = 0xffffffff
  let i = from
  for (; i + 8 <= to; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    crc =
      t7[crc & 0xff]! ^
      t6[(crc >>> 8) & 0xff]! ^
      t5[(crc >>> 16) & 0xff]! ^
      t4[crc >>> 24]! ^
      t3[bytes[i + 4]!]! ^
      t2[bytes[i + 5]!]! ^
      t1[bytes[i + 6]!]! ^
      t0[bytes[i + 7]!]!
  }
  for (; i < to; i++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[i]!) & 0xff]!
  return (crc ^ 0xffffffff) >>> 0
}
