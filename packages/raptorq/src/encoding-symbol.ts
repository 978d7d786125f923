import type { CodeParameters } from './parameters.ts'
import { DEGREES, RANDOM_TABLES } from './rfc6330-tables.ts'

const RANDOM = readNumbers(Buffer.from(RANDOM_TABLES, 'base64'))

function readNumbers(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(4 * index))
}

/** Pseudo-random number below `modulus`. Source: RFC 6330, 5.3.5.1. */
export function random(y: number, i: number, modulus: number): number {
  const mixed =
    RANDOM[(y + i) & 255]! ^
    RANDOM[256 + (((y >>> 8) + i) & 255)]! ^
    RANDOM[512 + (((y >>> 16) + i) & 255)]! ^
    RANDOM[768 + (((y >>> 24) + i) & 255)]!
  return (mixed >>> 0) % modulus
}

/** Number of LT symbols that make up a symbol. Source: RFC 6330, 5.3.5.2. */
function degreeOf(v: number, w: number): number {
  let degree = 1
  while (v >= DEGREES[degree]!) degree++
  return Math.min(degree, w - 2)
}

/**
 * Internal id of an encoding symbol: padding lies between the source symbols and the repair symbols, and is
 * never sent. Source: RFC 6330, 5.3.1.
 */
export function internalId({ k, kPadded }: CodeParameters, seqno: number): number {
  return seqno < k ? seqno : seqno + kPadded - k
}

/**
 * Indexes of the intermediate symbols whose sum is the encoding symbol with an internal id. Source: RFC 6330,
 * 5.3.5.3 and 5.3.5.4.
 */
export function intermediateSymbolsOf({ j, w, p, p1 }: CodeParameters, id: number): number[] {
  const a0 = (53591 + 997 * j) | 1
  const y = (Math.imul(id, a0) + 10267 * (j + 1)) >>> 0
  const degree = degreeOf(random(y, 0, 1 << 20), w)
  const a = 1 + random(y, 1, w - 1)
  let b = random(y, 2, w)
  const inactive = degree < 4 ? 2 + random(id, 3, 2) : 2
  const a1 = 1 + random(id, 4, p1 - 1)
  let b1 = random(id, 5, p1)
  const indexes = [b]
  for (let i = 1; i < degree; i++) indexes.push((b = (b + a) % w))
  while (b1 >= p) b1 = (b1 + a1) % p1
  indexes.push(w + b1)
  for (let i = 1; i < inactive; i++) {
    do b1 = (b1 + a1) % p1
    while (b1 >= p)
    indexes.push(w + b1)
  }
  return indexes
}

/** Indexes of the intermediate symbols whose sum is zero, for each LDPC row. Source: RFC 6330, 5.3.3.3. */
export function ldpcRows({ s, b, w, p }: CodeParameters): number[][] {
  const rows = Array.from({ length: s }, (_, i) => [b + i, w + (i % p), w + ((i + 1) % p)])
  for (let column = 0; column < b; column++) {
    const step = 1 + Math.floor(column / s)
    for (let i = 0, row = column % s; i < 3; i++, row = (row + step) % s) rows[row]!.push(column)
  }
  return rows
}
