import { type RawAddress, shardFromSigned } from '@shardwalk/model'

/** JSON text. Serialisers write it directly, because digits, hex and base64 need no escaping. */
export type Json = string

/** Standard base64 with padding. */
export const base64 = (bytes: Buffer): Json => `"${bytes.toString('base64')}"`

/** `base64` of a nullable column. */
export const base64OrNull = (bytes: Buffer | null | undefined): Json => (bytes ? base64(bytes) : 'null')

/** Decimal string. */
export const decimal = (value: bigint | number | string): Json => `"${value}"`

/** `decimal` of a nullable column. */
export const decimalOrNull = (value: bigint | number | string | null | undefined): Json =>
  value === null || value === undefined ? 'null' : `"${value}"`

/** Upper-case hex without prefix or leading zeros. */
const shardText = (signed: bigint): string => shardFromSigned(signed).toString(16).toUpperCase()

/** A block's place. `shard`: signed, as columns have it. */
export const blockId = (workchain: number, shard: bigint, seqno: number): Json =>
  `{"workchain":${workchain},"shard":"${shardText(shard)}","seqno":${seqno}}`

/** Amounts by currency id with keys sorted as text; an empty map is `{}`. */
export function extraCurrencies(map: Readonly<Record<string, string>> | null | undefined): Json {
  if (!map) return '{}'
  const keys = Object.keys(map).sort()
  return `{${keys.map((key) => `"${key}":"${map[key]}"`).join(',')}}`
}

/** Currencies of a state; `null` while only their hash is known. */
export const currenciesAfter = (
  currencies: Readonly<Record<string, string>> | string | null | undefined,
): Json => (typeof currencies === 'string' ? 'null' : extraCurrencies(currencies))

/** Signed shard id of the block that contains the account: its top bits and the end marker. */
export function shardOfAccount(address: RawAddress, prefixLength: number): bigint {
  const marker = 1n << BigInt(63 - prefixLength)
  const top = address.hash.readBigUInt64BE(0)
  return BigInt.asIntN(64, (top & ~((marker << 1n) - 1n)) | marker)
}
