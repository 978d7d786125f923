// Arithmetic in GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 and generator 2. Source: RFC 6330, 5.7.

const POLYNOMIAL = 0x11d
const EXP = new Uint8Array(510)
const LOG = new Uint8Array(256)
for (let power = 0, value = 1; power < 255; power++) {
  EXP[power] = EXP[power + 255] = value
  LOG[value] = power
  value = value & 0x80 ? (value << 1) ^ POLYNOMIAL : value << 1
}

/** The generator to a power. */
export const power = (exponent: number): number => EXP[exponent % 255]!

/** 1/value in GF(256); `value` is not 0. Source: RFC 6330, section 5.7. */
export const inverse = (value: number): number => EXP[255 - LOG[value]!]!

const multiply = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : EXP[LOG[a]! + LOG[b]!]!)

/** Products of a factor with all octets. */
const productsOf = (factor: number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, b) => multiply(factor, b))
const PRODUCTS = new Map<number, Uint8Array>()
function products(factor: number): Uint8Array {
  let known = PRODUCTS.get(factor)
  if (!known) PRODUCTS.set(factor, (known = productsOf(factor)))
  return known
}

/** Symbols of zeros in one piece of memory: thousands of pieces would cost more than the arithmetic. */
export function newSymbols(count: number, words: number): Int32Array[] {
  const memory = new Int32Array(count * words)
  return Array.from({ length: count }, (_, i) => memory.subarray(i * words, (i + 1) * words))
}

/** `target += source`, word by word. */
export function add(target: Int32Array, source: Int32Array): void {
  for (let i = 0; i < target.length; i++) target[i]! ^= source[i]!
}

/** `target *= 2`, four octets at a time. */
export function double(target: Int32Array): void {
  for (let i = 0; i < target.length; i++) {
    const word = target[i]!
    const carries = (word >>> 7) & 0x01010101
    target[i] = ((word << 1) & 0xfefefefe) ^ Math.imul(carries, POLYNOMIAL & 0xff)
  }
}

/** `target += factor * source`. Both start and end at word boundaries. */
export function addMultiple(target: Int32Array, source: Int32Array, factor: number): void {
  if (factor === 0) return
  if (factor === 1) {
    add(target, source)
    return
  }
  const table = products(factor)
  const to = new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
  const from = new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
  for (let i = 0; i < to.length; i++) to[i]! ^= table[from[i]!]!
}

/** `target *= factor`. */
export function scale(target: Int32Array, factor: number): void {
  if (factor === 1) return
  const table = products(factor)
  const octets = new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
  for (let i = 0; i < octets.length; i++) octets[i] = table[octets[i]!]!
}
