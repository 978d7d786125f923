import { DecodeError } from '@shardwalk/model'

/** Reads bits, the most significant of a byte first. Throws `DecodeError` beyond the end. */
export class BitReader {
  private at = 0

  constructor(private readonly bytes: Uint8Array) {}

  /** Bits consumed. */
  get position(): number {
    return this.at
  }

  get remaining(): number {
    return this.bytes.length * 8 - this.at
  }

  bit(): number {
    const at = this.take(1)
    return (this.bytes[at >> 3]! >> (7 - (at & 7))) & 1
  }

  /** Up to 32 bits as an unsigned number. */
  uint(bits: number): number {
    let at = this.take(bits)
    let value = 0
    for (let left = bits; left > 0; ) {
      const count = Math.min(left, 8 - (at & 7))
      const chunk = (this.bytes[at >> 3]! >> (8 - (at & 7) - count)) & ((1 << count) - 1)
      value = value * (1 << count) + chunk
      at += count
      left -= count
    }
    return value
  }

  /** Bits up to the next byte, which must be zero. */
  align(): void {
    while ((this.at & 7) !== 0)
      if (this.bit() !== 0) throw new DecodeError('boc_compress', 'padding is not zero')
  }

  /** Whole bytes from a byte boundary, as a view. */
  bytesAligned(length: number): Uint8Array {
    const at = this.take(length * 8) >> 3
    return this.bytes.subarray(at, at + length)
  }

  private take(bits: number): number {
    const at = this.at
    if (bits > this.remaining) throw new DecodeError('boc_compress', `ends after ${this.bytes.length} bytes`)
    this.at += bits
    return at
  }
}
