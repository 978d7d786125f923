import { DecodeError } from '@shardwalk/model'

/** Reads TL values from a buffer. Every read checks the bounds and throws `TlProblem`. */
export class TlReader {
  private at = 0
  private readonly buffer: Buffer

  constructor(bytes: Buffer) {
    this.buffer = bytes
  }

  get remaining(): number {
    return this.buffer.length - this.at
  }

  int32(): number {
    return this.buffer.readInt32LE(this.take(4))
  }

  uint32(): number {
    return this.buffer.readUInt32LE(this.take(4))
  }

  int64(): bigint {
    return this.buffer.readBigInt64LE(this.take(8))
  }

  uint64(): bigint {
    return this.buffer.readBigUInt64LE(this.take(8))
  }

  /** A copy, because a hash outlives the answer it came in and must not keep its buffer alive. */
  int256(): Buffer {
    return this.copy(32)
  }

  int128(): Buffer {
    return this.copy(16)
  }

  /** In memory of its own: `Buffer.from` takes it out of 8 KiB, which one hash that is kept would keep. */
  private copy(length: number): Buffer {
    const at = this.take(length)
    const copy = Buffer.allocUnsafeSlow(length)
    this.buffer.copy(copy, 0, at, at + length)
    return copy
  }

  /** A view of the source, because answers contain whole blocks. Length prefix 255 is used above 16 MB. */
  bytes(): Buffer {
    let header = 1
    let length = this.buffer[this.take(1)]!
    if (length === 254) {
      header = 4
      length = this.buffer.readUIntLE(this.take(3), 3)
    } else if (length === 255) {
      header = 8
      length = Number(this.buffer.readBigUInt64LE(this.take(7) - 1) >> 8n)
    }
    const at = this.take(length)
    this.take(-(header + length) & 3)
    return this.buffer.subarray(at, at + length)
  }

  /** The remaining bytes, as a view. */
  rest(): Buffer {
    const at = this.take(this.remaining)
    return this.buffer.subarray(at)
  }

  end(): void {
    if (this.remaining > 0) throw new TlProblem(`${this.remaining} trailing bytes`)
  }

  private take(length: number): number {
    const at = this.at
    if (length > this.buffer.length - at)
      throw new TlProblem(`${length} bytes expected at ${at}, ${this.buffer.length - at} left`)
    this.at += length
    return at
  }
}

/** Output buffer that grows on demand; `finish` returns the written bytes. */
export class TlWriter {
  private buffer: Buffer
  private at = 0

  constructor(capacity = 256) {
    this.buffer = Buffer.allocUnsafe(capacity)
  }

  int32(value: number): void {
    const at = this.room(4)
    this.buffer.writeInt32LE(value, at)
  }

  uint32(value: number): void {
    const at = this.room(4)
    this.buffer.writeUInt32LE(value, at)
  }

  int64(value: bigint): void {
    const at = this.room(8)
    this.buffer.writeBigInt64LE(value, at)
  }

  uint64(value: bigint): void {
    const at = this.room(8)
    this.buffer.writeBigUInt64LE(value, at)
  }

  int256(value: Buffer): void {
    if (value.length !== 32) throw new RangeError(`int256 has 32 bytes, not ${value.length}`)
    this.raw(value)
  }

  int128(value: Buffer): void {
    if (value.length !== 16) throw new RangeError(`int128 has 16 bytes, not ${value.length}`)
    this.raw(value)
  }

  bytes(value: Uint8Array): void {
    const { length } = value
    const header = length < 254 ? 1 : length < 1 << 24 ? 4 : 8
    const padding = -(header + length) & 3
    let at = this.room(header + length + padding)
    if (header === 1) this.buffer[at] = length
    else if (header === 4) this.buffer.writeUInt32LE(((length << 8) | 254) >>> 0, at)
    else this.buffer.writeBigUInt64LE((BigInt(length) << 8n) | 255n, at)
    at += header
    this.buffer.set(value, at)
    this.buffer.fill(0, at + length, at + length + padding)
  }

  raw(value: Uint8Array): void {
    const at = this.room(value.length)
    this.buffer.set(value, at)
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.at)
  }

  private room(length: number): number {
    const at = this.at
    this.at += length
    if (this.at > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.at, this.buffer.length * 2))
      this.buffer.copy(larger, 0, 0, at)
      this.buffer = larger
    }
    return at
  }
}

/** A decoding problem. Enclosing objects prepend field names to its path; callers receive a `DecodeError`. */
export class TlProblem extends Error {
  readonly path: string[] = []

  toDecodeError(root: string): DecodeError {
    return new DecodeError([root, ...this.path].join('.'), this.message)
  }
}
