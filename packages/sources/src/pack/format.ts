/** First four bytes of a package. Source: node, validator/db/package.cpp (0xae8fdd01, little-endian). */
export const PACK_MAGIC = 0xae8fdd01
/** First two bytes of an entry. */
const ENTRY_MAGIC = 0x1e8b
/** uint16 magic, uint16 name length, uint32 data length; little-endian. */
export const ENTRY_HEADER_SIZE = 8
const MAX_NAME_LENGTH = 0xffff
const MAX_DATA_LENGTH = 0x7fffffff

/** Position of an entry. Offsets are in bytes from the start of the file. */
export interface PackEntry {
  readonly name: string
  readonly offset: number
  readonly dataOffset: number
  readonly size: number
}

/** The first four bytes of a file. */
export function encodePackHeader(): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt32LE(PACK_MAGIC)
  return header
}

/** Header and name of an entry; the data follows. Throws `RangeError` beyond the limits of the format. */
export function encodeEntryHeader(name: string, size: number): Buffer {
  const nameBytes = Buffer.from(name)
  if (nameBytes.length > MAX_NAME_LENGTH) throw new RangeError(`entry name of ${nameBytes.length} bytes`)
  if (size > MAX_DATA_LENGTH) throw new RangeError(`entry ${name} of ${size} bytes`)
  const header = Buffer.alloc(ENTRY_HEADER_SIZE)
  header.writeUInt16LE(ENTRY_MAGIC, 0)
  header.writeUInt16LE(nameBytes.length, 2)
  header.writeUInt32LE(size, 4)
  return Buffer.concat([header, nameBytes])
}

/** Undefined if these bytes are not the start of an entry. */
export function decodeEntryHeader(bytes: Buffer): { nameLength: number; size: number } | undefined {
  if (bytes.length < ENTRY_HEADER_SIZE || bytes.readUInt16LE(0) !== ENTRY_MAGIC) return undefined
  const size = bytes.readUInt32LE(4)
  return size > MAX_DATA_LENGTH ? undefined : { nameLength: bytes.readUInt16LE(2), size }
}
