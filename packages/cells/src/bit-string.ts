/** A run of bits, left-aligned in `bytes`; unused bits of the last byte are zero. */
export interface BitString {
  readonly bits: number
  readonly bytes: Buffer
}

/** Copies `count` bits from bit `from` of `source` into a new, zero-padded buffer. */
export function sliceBits(source: Uint8Array, from: number, count: number): Buffer {
  const out = Buffer.allocUnsafe((count + 7) >> 3)
  copyBits(source, from, out, count)
  return out
}

/** Copies `count` bits to `target` from byte `to` on and clears the unused bits of the last byte. */
export function copyBits(source: Uint8Array, from: number, target: Uint8Array, count: number, to = 0): void {
  const length = (count + 7) >> 3
  const shift = from & 7
  let at = from >> 3
  if (shift === 0) {
    for (let i = 0; i < length; i++) target[to + i] = source[at + i]!
  } else {
    const last = (from + count - 1) >> 3
    let current = source[at]!
    for (let i = 0; i < length; i++) {
      const next = ++at <= last ? source[at]! : 0
      target[to + i] = (current << shift) | (next >> (8 - shift))
      current = next
    }
  }
  if ((count & 7) !== 0) target[to + length - 1]! &= 0xff << (8 - (count & 7))
}
