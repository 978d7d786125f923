import { type Cell, crc32c, formatFriendlyAddress, serializeBoc } from '@shardwalk/cells'
import { type BlockId, type ExtraCurrencies, type RawAddress, shardToSigned } from '@shardwalk/model'

/** The hash of what does not exist: 32 zero bytes, as tonlib prints it. */
export const NO_HASH: Buffer = Buffer.alloc(32)

/** Bag of cells as tonlib writes it (no index, with CRC), in base64. */
export const cellText = (cell: Cell): string => serializeBoc(cell, { crc32c: true }).toString('base64')

/**
 * Adds the CRC to a bag in the shortest form: sets the flag and appends the sum. Source: boc.tlb
 * `has_crc32c`.
 */
export function withCrc(boc: Buffer): string {
  const HAS_CRC = 0x40
  const FLAGS_AT = 4
  if (boc.length === 0 || (boc[FLAGS_AT]! & HAS_CRC) !== 0) return boc.toString('base64')
  const out = Buffer.allocUnsafe(boc.length + 4)
  boc.copy(out)
  out[FLAGS_AT] = boc[FLAGS_AT]! | HAS_CRC
  out.writeUInt32LE(crc32c(out.subarray(0, boc.length)), boc.length)
  return out.toString('base64')
}

/** TL `ton.blockIdExt` of tonlib; the shard as a signed decimal, hashes in base64. */
export const blockIdExt = (id: BlockId) => ({
  '@type': 'ton.blockIdExt',
  workchain: id.workchain,
  shard: String(shardToSigned(id.shard)),
  seqno: id.seqno,
  root_hash: id.rootHash.toString('base64'),
  file_hash: id.fileHash.toString('base64'),
})

/** TL `internal.transactionId` of tonlib. */
export const transactionId = (lt: bigint, hash: Buffer) => ({
  '@type': 'internal.transactionId',
  lt: String(lt),
  hash: hash.toString('base64'),
})

/** Bounceable and never test-only, on every network, as in TON Center; `""` for no address. */
export const friendly = (address: RawAddress | undefined): string =>
  address ? formatFriendlyAddress(address, { bounceable: true, testOnly: false }) : ''

/** TL `accountAddress` of tonlib. `text`: user-friendly, or empty. */
export const accountAddress = (text: string) => ({ '@type': 'accountAddress', account_address: text })

/** Sorted by id as an unsigned number, printed signed; at most 1024. */
export const extraCurrencies = (currencies: ExtraCurrencies | undefined) =>
  [...(currencies ?? [])]
    .sort(([a], [b]) => (a >>> 0) - (b >>> 0))
    .slice(0, 1024)
    .map(([id, amount]) => ({ '@type': 'extraCurrency', id: id | 0, amount: String(amount) }))

/** TL `tvm.cell` of tonlib. `bytes`: bag of cells in base64. */
export const tvmCell = (bytes: string) => ({ '@type': 'tvm.cell', bytes })

/** An integer of any size in JSON; `toJsonText` prints large ones. */
export const jsonNumber = (value: bigint | number): bigint | number =>
  Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value)

/** A value that is already JSON text. Only `toJsonText` accepts it, and only as the whole value. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** `JSON.stringify` that writes bigints as numbers. */
export function toJsonText(value: unknown): string {
  if (value instanceof JsonText) return value.text
  try {
    return JSON.stringify(value)
  } catch (error) {
    // JSON.stringify throws on bigints. They are rare, so the fast path is tried first.
    if (error instanceof TypeError) return writeJson(value)
    throw error
  }
}

function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeJson(member)}`).join(',')}}`
}
