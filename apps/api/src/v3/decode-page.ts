import { type DecodeQuery, InvalidQuery, type Json } from '@shardwalk/api-schema'
import { decodeBodies, decodeOpcodes } from '@shardwalk/contracts'

/** GET and POST /decode: names of opcodes and fields of bodies, in the order given. */
export async function decodeLists(query: DecodeQuery): Promise<Json> {
  const opcodes = decodeOpcodes(query.opcodes ?? [])
  if ('index' in opcodes)
    throw new InvalidQuery(`invalid opcode format at index ${opcodes.index}: ${opcodes.text}`)
  // A plus of base64 that was not escaped arrives as a space.
  const bodies = decodeBodies((query.bodies ?? []).map((text) => text.replaceAll(' ', '+')))
  return JSON.stringify({ opcodes, bodies })
}
