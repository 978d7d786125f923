import { DecodeError } from '@shardwalk/model'

const MIN_MATCH = 4
/** Blocks never compress as well as this. */
const MAX_RATIO = 64

const fail = (problem: string): never => {
  throw new DecodeError('lz4', problem)
}

/**
 * Decompresses an LZ4 block without frame or size. Throws `DecodeError` if it is damaged or becomes longer
 * than `maxSize`. Source: the LZ4 block format description.
 */
export const decompressLz4 = (input: Uint8Array, maxSize: number): Buffer =>
  new Lz4Reader(input, Math.min(maxSize, input.length * MAX_RATIO)).decompress()

/** An LZ4 block of nothing but literals: readable, and not shorter. */
export function storeLz4(data: Buffer): Buffer {
  const rest = data.length - 15
  if (rest < 0) return Buffer.concat([Buffer.of(data.length << 4), data])
  const lengths = Buffer.alloc(Math.floor(rest / 255) + 1, 255)
  lengths[lengths.length - 1] = rest % 255
  return Buffer.concat([Buffer.of(0xf0), lengths, data])
}

/** A block is a list of sequences: a token, literals, and a match, which only the last one lacks. */
class Lz4Reader {
  private output: Buffer
  private at = 0
  private to = 0

  constructor(
    private readonly input: Uint8Array,
    private readonly limit: number,
  ) {
    this.output = Buffer.allocUnsafe(Math.min(limit, input.length * 4 + 64))
  }

  decompress(): Buffer {
    const { input } = this
    while (this.at < input.length) {
      const token = input[this.at++]!
      this.copyLiterals(this.length(token >> 4))
      if (this.at === input.length) break
      this.copyMatch(this.offset(), MIN_MATCH + this.length(token & 15))
    }
    return this.output.subarray(0, this.to)
  }

  /** A length of four bits; 15 is followed by bytes to be added, up to the first that is not 255. */
  private length(nibble: number): number {
    if (nibble < 15) return nibble
    let length = nibble
    for (let byte = 255; byte === 255; length += byte) {
      if (this.at >= this.input.length) fail('ends inside a length')
      byte = this.input[this.at++]!
    }
    return length
  }

  private offset(): number {
    const { input, at, to } = this
    if (at + 2 > input.length) fail('ends inside an offset')
    const offset = input[at]! | (input[at + 1]! << 8)
    if (offset === 0 || offset > to) fail(`offset ${offset} at ${to}`)
    this.at += 2
    return offset
  }

  private copyLiterals(length: number): void {
    if (this.at + length > this.input.length) fail('ends inside literals')
    this.reserve(length)
    this.output.set(this.input.subarray(this.at, this.at + length), this.to)
    this.at += length
    this.to += length
  }

  private copyMatch(offset: number, length: number): void {
    this.reserve(length)
    const { output, to } = this
    // A match may overlap what it produces.
    if (offset >= length) output.copyWithin(to, to - offset, to - offset + length)
    else for (let i = 0; i < length; i++) output[to + i] = output[to + i - offset]!
    this.to += length
  }

  private reserve(length: number): void {
    const needed = this.to + length
    if (needed > this.limit) fail(`more than ${this.limit} bytes`)
    if (needed <= this.output.length) return
    const larger = Buffer.allocUnsafe(Math.min(this.limit, Math.max(needed, this.output.length * 2)))
    this.output.copy(larger, 0, 0, this.to)
    this.output = larger
  }
}
