/** Values by which messages are selected; filters contain each pair of two of them. */
export type MessageValue = 'source' | 'destination' | 'opcode'

/** Offset of each value in the record of a message, which has them as int8; its sender or receiver by id. */
const AT = { source: 0, destination: 8, opcode: 16 }
/** Bytes of the record of a message. */
export const VALUES_BYTES = 24

const PAIRS = [
  ['source', 'destination'],
  ['source', 'opcode'],
  ['destination', 'opcode'],
] as const

/**
 * Stands for a value that the message lacks. Pairs with it are not in filters, nor are those with an id that
 * begins with the same 32 bits, such as the null address: a search for one leaves out no partition.
 */
export const NO_VALUE = -(2n ** 63n)
const NO_VALUE_HIGH = -(2 ** 31)

/** Bytes of a key, as many of a hash as filters use. */
const KEY_BYTES = 16

/**
 * Keys, 16 bytes each, of all pairs of the values that are given. Filters contain them as they contain
 * hashes.
 */
export function pairKeys(values: Readonly<Partial<Record<MessageValue, bigint>>>): readonly Buffer[] {
  const record = Buffer.alloc(VALUES_BYTES)
  for (const name of Object.keys(AT) as MessageValue[])
    record.writeBigInt64BE(values[name] ?? NO_VALUE, AT[name])
  const keys: Buffer[] = []
  forPairs(record, 0, Buffer.alloc(KEY_BYTES), (key) => keys.push(Buffer.from(key)))
  return keys
}

/** Calls `onKey` with the key of every pair in the record that begins at `at`; each is written into `key`. */
export function forPairs(records: Buffer, at: number, key: Buffer, onKey: (key: Buffer) => void): void {
  for (let pair = 0; pair < PAIRS.length; pair++) {
    const [one, other] = PAIRS[pair]!
    const [first, second] = [at + AT[one], at + AT[other]]
    const [firstHigh, secondHigh] = [records.readInt32BE(first), records.readInt32BE(second)]
    if (firstHigh === NO_VALUE_HIGH || secondHigh === NO_VALUE_HIGH) continue
    const [firstLow, secondLow] = [records.readInt32BE(first + 4), records.readInt32BE(second + 4)]
    for (let word = 0; word < KEY_BYTES; word += 4) {
      let mixed = mix(pair + 1, word)
      mixed = mix(mixed, firstHigh)
      mixed = mix(mixed, firstLow)
      mixed = mix(mixed, secondHigh)
      key.writeInt32BE(mix(mixed, secondLow), word)
    }
    onKey(key)
  }
}

/** A round of MurmurHash3 and its finalizer. */
function mix(state: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51)
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593)
  let h = state ^ k
  h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
