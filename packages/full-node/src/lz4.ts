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
export function decompressLz4(input: Uint8Array, maxSize: number): Buffer {
  const limit = Math.min(maxSize, input.length * MAX_RATIO)
  let output = Buffer.allocUnsafe(Math.min(limit, input.length * 4 + 64))
  let at = 0
  let to = 0
  const reserve = (length: number): void => {
    if (to + length > limit) fail(`more than ${limit} bytes`)
    if (to + length <= output.length) return
    const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(to + length, output.length * 2)))
    output.copy(larger, 0, 0, to)
    output = larger
  }
  const longLength = (first: number): number => {
    let length = first
    for (let byte = 255; byte === 255; length += byte) {
      if (at >= input.length) fail('ends inside a length')
      byte = input[at++]!
    }
    return length
  }
  while (at < input.length) {
    const token = input[at++]!
    const literals = token >> 4 === 15 ? longLength(15) : token >> 4
    if (at + literals > input.length) fail('ends inside literals')
    reserve(literals)
    output.set(input.subarray(at, at + literals), to)
    at += literals
    to += literals
    if (at === input.length) break
    if (at + 2 > input.length) fail('ends inside an offset')
    const offset = input[at]! | (input[at + 1]! << 8)
    at += 2
    if (offset === 0 || offset > to) fail(`offset ${offset} at ${to}`)
    const length = MIN_MATCH + ((token & 15) === 15 ? longLength(15) : token & 15)
    reserve(length)
    // Matches may overlap what they produce.
    if (offset >= length) output.copyWithin(to, to - offset, to - offset + length)
    else for (let i = 0; i < length; i++) output[to + i] = output[to + i - offset]!
    to += length
  }
  return output.subarray(0, to)
}
