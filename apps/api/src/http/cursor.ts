import { InvalidQuery } from '@shardwalk/api-schema'

/**
 * Where a list continues: the values of the ordering columns of the last row, and the name of the order, so that a cursor of one
 * order is refused by another. Opaque to clients: base64url of `<order>~<value>~…`.
 */
export function encodeCursor(order: string, values: readonly (string | bigint | number)[]): string {
  return Buffer.from([order, ...values].join('~')).toString('base64url')
}

/** Values of a cursor of this order as bigints. Throws `InvalidQuery` on anything else. */
export function decodeCursor(text: string, order: string, count: number): readonly bigint[] {
  const [name, ...values] = Buffer.from(text, 'base64url').toString('latin1').split('~')
  if (name !== order || values.length !== count || !values.every((value) => /^-?\d{1,80}$/.test(value)))
    throw new InvalidQuery(
      'wrong value for parameter "cursor": it does not belong to this list in this order; accepted: the header X-Next-Cursor of an earlier reply to the same query',
    )
  return values.map(BigInt)
}

/** Hashes travel in cursors as numbers. */
export const hashToNumber = (hash: Buffer): bigint => BigInt(`0x${hash.toString('hex')}`)
export const numberToHash = (value: bigint): Buffer =>
  Buffer.from(BigInt.asUintN(256, value).toString(16).padStart(64, '0'), 'hex')

/** Values that a bigint column can hold: beyond it a bound has no effect, or the row does not exist. */
const MAX_INT8 = 0x7fffffffffffffffn
export const clampInt8 = (value: bigint): bigint =>
  value > MAX_INT8 ? MAX_INT8 : value < -MAX_INT8 - 1n ? -MAX_INT8 - 1n : value
