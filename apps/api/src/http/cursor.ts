export { decodeCursor, encodeCursor } from '@shardwalk/queries/idiom'

/** Hashes travel in cursors as numbers. */
export const hashToNumber = (hash: Buffer): bigint => BigInt(`0x${hash.toString('hex')}`)
export const numberToHash = (value: bigint): Buffer =>
  Buffer.from(BigInt.asUintN(256, value).toString(16).padStart(64, '0'), 'hex')

/** Values that a bigint column can hold: beyond it a bound has no effect, or the row does not exist. */
const MAX_INT8 = 0x7fffffffffffffffn
export const clampInt8 = (value: bigint): bigint =>
  value > MAX_INT8 ? MAX_INT8 : value < -MAX_INT8 - 1n ? -MAX_INT8 - 1n : value
