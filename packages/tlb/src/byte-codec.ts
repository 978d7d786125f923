import { DecodeError } from '@shardwalk/model'

/** Growing byte writer: variable-length integers (7 bits a byte, low bits first) and raw bytes. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafe(256)
  private at = 0

  byte(value: number): void {
    this.room(1)
    this.buffer[this.at++] = value
  }

  uint32(value: number): void {
    this.room(4)
    this.at = this.buffer.writeUInt32LE(value >>> 0, this.at)
  }

  /** Non-negative integer up to 2^53. */
  varint(value: number): void {
    this.room(8)
    let rest = value
    while (rest >= 0x80) {
      this.buffer[this.at++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.buffer[this.at++] = rest
  }

  /** Non-negative integer of any size, the same bytes as `varint`. */
  varbig(value: bigint): void {
    if (value < 0x20000000000000n) {
      this.varint(Number(value))
      return
    }
    let rest = value
    for (; rest >= 0x80n; rest >>= 7n) this.byte(Number(rest & 0x7fn) | 0x80)
    this.byte(Number(rest))
  }

  /** int32, small magnitudes short. */
  zigzag(value: number): void {
    this.varint(((value << 1) ^ (value >> 31)) >>> 0)
  }

  bytes(value: Uint8Array): void {
    this.room(value.length)
    this.buffer.set(value, this.at)
    this.at += value.length
  }

  finish(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.at))
  }

  private room(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes))
    this.buffer.copy(grown, 0, 0, this.at)
    this.buffer = grown
  }
}

/** Reads what `ByteWriter` wrote. Throws DecodeError when bytes are missing or left over. */
export class ByteReader {
  private readonly buffer: Buffer
  private readonly name: string
  private at = 0

  constructor(bytes: Uint8Array, name: string) {
    this.buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.name = name
  }

  byte(): number {
    return this.buffer[this.take(1)]!
  }

  uint32(): number {
    return this.buffer.readUInt32LE(this.take(4))
  }

  varint(): number {
    const value = this.varAny()
    if (typeof value === 'number') return value
    if (value > 0x1fffffffffffffn) throw new DecodeError(this.name, `${value} is too large`)
    return Number(value)
  }

  varbig(): bigint {
    return BigInt(this.varAny())
  }

  /** A number as long as it takes at most seven bytes: much cheaper than a bigint for each byte. */
  private varAny(): number | bigint {
    let value = 0
    for (let factor = 1; factor < 2 ** 49; factor *= 0x80) {
      const next = this.byte()
      value += (next & 0x7f) * factor
      if (next < 0x80) return value
    }
    return this.restOf(BigInt(value))
  }

  private restOf(begun: bigint): bigint {
    let value = begun
    for (let shift = 49n; shift < 300n; shift += 7n) {
      const next = this.byte()
      value |= BigInt(next & 0x7f) << shift
      if (next < 0x80) return value
    }
    throw new DecodeError(this.name, 'integer without an end')
  }

  zigzag(): number {
    const value = this.varint()
    return (value >>> 1) ^ -(value & 1)
  }

  bytes(count: number): Buffer {
    const from = this.take(count)
    return Buffer.from(this.buffer.subarray(from, from + count))
  }

  expectEnd(): void {
    if (this.at !== this.buffer.length)
      throw new DecodeError(this.name, `${this.buffer.length - this.at} bytes left over`)
  }

  private take(count: number): number {
    const from = this.at
    if (from + count > this.buffer.length) throw new DecodeError(this.name, 'not enough bytes')
    this.at = from + count
    return from
  }
}
