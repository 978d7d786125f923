import { DecodeError } from '@shardwalk/model'
import { SYSTEMATIC_INDICES } from './rfc6330-tables.ts'

/** Sizes of the code for one source block, named as in RFC 6330. */
export interface CodeParameters {
  /** Source symbols, without and with padding. */
  readonly k: number
  readonly kPadded: number
  /** Systematic index J(K'). */
  readonly j: number
  /** LDPC and HDPC symbols. */
  readonly s: number
  readonly h: number
  /** Intermediate symbols: all, those of the LT code, and the permanently inactive ones. */
  readonly l: number
  readonly w: number
  readonly p: number
  /** Modulus of the walk over the permanently inactive symbols. */
  readonly p1: number
  /** LT symbols that are not LDPC symbols. */
  readonly b: number
}

interface Row {
  readonly kPadded: number
  readonly j: number
  readonly s: number
  readonly h: number
  readonly w: number
}

const ROWS: readonly Row[] = SYSTEMATIC_INDICES.trim()
  .split(/\s+/)
  .map((row) => {
    const [kPadded = 0, j = 0, s = 0, h = 0, w = 0] = row.split(',').map(Number)
    return { kPadded, j, s, h, w }
  })

/** Largest number of source symbols of a block. */
export const MAX_SYMBOLS = ROWS.at(-1)!.kPadded

/** Throws `DecodeError` if `k` is not from 1 to `MAX_SYMBOLS`. */
export function codeParameters(k: number): CodeParameters {
  if (!Number.isInteger(k) || k < 1 || k > MAX_SYMBOLS)
    throw new DecodeError('raptorq.symbols_count', `${k} is not from 1 to ${MAX_SYMBOLS}`)
  const row = ROWS.find(({ kPadded }) => kPadded >= k)!
  const l = row.kPadded + row.s + row.h
  const p = l - row.w
  return { k, ...row, l, p, p1: primeAbove(p), b: row.w - row.s }
}

/**
 * RFC 6330 takes P itself if it is prime. TON nodes do not, so repair symbols differ for 99 of the 477 rows.
 * Source: ton-blockchain/ton, tdfec/td/fec/raptorq/Rfc.cpp.
 */
function primeAbove(p: number): number {
  for (let candidate = p + 1; ; candidate++) if (isPrime(candidate)) return candidate
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false
  return n > 1
}
