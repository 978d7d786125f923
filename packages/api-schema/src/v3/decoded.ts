import { decodeBodies, decodeOpcodes } from '@shardwalk/contracts'
import { InvalidQuery } from '../read-query.ts'
import { shown } from '../v2/refusal.ts'
import type { DecodeQuery } from './account-queries.ts'
import type { Json } from './text.ts'

/** Reply of /decode: names of opcodes and fields of bodies, in input order. Throws `InvalidQuery`. */
export function toDecodeReply({ opcodes, bodies }: DecodeQuery): Json {
  const names = decodeOpcodes(opcodes ?? [])
  if ('index' in names)
    throw new InvalidQuery(`invalid opcode format at index ${names.index}: ${shown(names.text)}`)
  // A plus sign that was not percent-encoded arrives as a space.
  const decoded = decodeBodies((bodies ?? []).map((text) => text.replaceAll(' ', '+')))
  return JSON.stringify({ opcodes: names, bodies: decoded })
}
