/** Cell types: the first data byte of an exotic cell, 0 for an ordinary cell. Source: node, `DataCell`. */
export const CELL = { ordinary: 0, pruned: 1, library: 2, merkleProof: 3, merkleUpdate: 4 } as const
/** A value of `CELL`. */
export type CellType = 0 | 1 | 2 | 3 | 4

/** Depth limit of a tree. Source: node, `CellTraits::max_depth`. */
export const MAX_DEPTH = 1024

/** Number of bits set in a level mask (0 to 7). */
export const POPCOUNT: readonly number[] = [0, 1, 1, 2, 1, 2, 2, 3]

/** Index of the hash that applies at `level`: there is one for level 0 and one for every bit of the mask. */
export const hashIndex = (mask: number, level: number): number => POPCOUNT[mask & ((1 << level) - 1)]!

/** Number of data bits an exotic cell must have; -1 for an unknown type. */
export function exoticBits(type: number, pruneMask: number): number {
  switch (type) {
    case CELL.pruned:
      return 8 * (2 + 34 * POPCOUNT[pruneMask & 7]!)
    case CELL.library:
      return 264
    case CELL.merkleProof:
      return 280
    case CELL.merkleUpdate:
      return 552
    default:
      return -1
  }
}

/** Number of references an exotic cell must have. */
export const exoticRefs = (type: number): number =>
  type === CELL.merkleProof ? 1 : type === CELL.merkleUpdate ? 2 : 0

/**
 * Whether references of a cell of this type are one level deeper: hashes of its children count without that
 * level.
 */
export const isMerkle = (type: number): boolean => type === CELL.merkleProof || type === CELL.merkleUpdate

/** Number of data bits from d2 and the last data byte: if d2 is odd, the lowest 1 bit is the end marker. */
export function dataBits(d2: number, lastByte: number): number {
  if ((d2 & 1) === 0) return d2 << 2
  return ((d2 + 1) << 2) - 1 - TRAILING_ZEROS[lastByte]!
}

const TRAILING_ZEROS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0 ? 7 : 31 - Math.clz32(byte & -byte),
)
