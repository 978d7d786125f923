/** Bytes that one block of a filter takes in a row of `hash_filter_bits`. */
export const BLOCK_BYTES = 120
/** Partitions whose filters share a row of `hash_filter_bits`. */
export const SLOTS = 32

const BLOCK_BITS = 8 * BLOCK_BYTES
/** With six bits set per key, about one in 300 absent keys appears to be present. */
const BITS_PER_KEY = 12
const PROBES = 6

/** Number of blocks of a filter for this number of keys: hashes, or what stands for pairs of values. */
export function blocksFor(keys: number): number {
  let blocks = 1
  while (blocks * BLOCK_BITS < keys * BITS_PER_KEY) blocks *= 2
  return blocks
}

/** The block of the key that begins at `at`. */
export const blockOf = (keys: Buffer, at: number, blocks: number): number =>
  keys.readUInt32BE(at) & (blocks - 1)

/** Adds the key that begins at `at` of `keys` to the block that begins at `start` of `filter`. */
export function addKey(filter: Buffer, start: number, keys: Buffer, at: number): void {
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = keys.readUInt16BE(at + 4 + 2 * probe) % BLOCK_BITS
    filter[start + (bit >> 3)]! |= 1 << (bit & 7)
  }
}

/** Estimated number of distinct keys in a filter; the more exact the fewer of its bits are set. */
export function keysIn(filter: Buffer): number {
  let set = 0
  for (const byte of filter) set += BITS_SET[byte]!
  const bits = 8 * filter.length
  return Math.round((-bits / PROBES) * Math.log1p(-Math.min(set, bits - 1) / bits))
}

const BITS_SET = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length)

/** The filter of the same keys in fewer blocks. */
export function fold(filter: Buffer, blocks: number): Buffer {
  const folded = Buffer.from(filter.subarray(0, blocks * BLOCK_BYTES))
  for (let at = folded.length; at < filter.length; at++) folded[at % folded.length]! |= filter[at]!
  return folded
}

/** SQL: number of the block of a key in a filter that has `blocks` of them. */
export const blockOfKey = (key: string, blocks: string): string =>
  `(((get_byte(${key}, 0) & 127) << 24) + (get_byte(${key}, 1) << 16) + (get_byte(${key}, 2) << 8)
    + get_byte(${key}, 3)) & (${blocks} - 1)`

/**
 * SQL: whether a filter may have a key. `bits`: of the row of its block. If that is missing, or shorter,
 * nothing is known.
 */
export const mayHaveKey = (bits: string, slot: string, key: string): string => {
  const probes = Array.from({ length: PROBES }, (_, probe) => {
    const number = `(get_byte(${key}, ${4 + 2 * probe}) << 8) + get_byte(${key}, ${5 + 2 * probe})`
    return `get_bit(${bits}, ${slot} * ${BLOCK_BITS} + (${number}) % ${BLOCK_BITS}) = 1`
  })
  return `case when length(${bits}) >= (${slot} + 1) * ${BLOCK_BYTES} then ${probes.join(' and ')}
    else true end`
}
