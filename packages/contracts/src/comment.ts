import { CELL, type Cell, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'

const TEXT = 0
const ENCRYPTED = 0x2167da4b
const MAX_BYTES = 256 * 1024

/** A comment in a message body or forward payload: readable text, or the bytes that only sender and receiver can decrypt (base64). */
export type Comment = { readonly text: string } | { readonly encrypted: string }

/**
 * Comment of a body or payload; undefined when it is something else. Text is made fit for storage: bytes that are not UTF-8 become U+FFFD, NUL
 * is removed. Source: TEP-62 and TEP-74 comments, snake format.
 */
export function readComment(payload: Cell): Comment | undefined {
  if (payload.isExotic || payload.bits < 32) return undefined
  const slice = payload.slice()
  const opcode = slice.loadUint(32)
  if (opcode !== TEXT && opcode !== ENCRYPTED) return undefined
  const bytes = snakeBytes(slice)
  if (!bytes) return undefined
  return opcode === TEXT
    ? { text: bytes.toString('utf8').replaceAll('\0', '') }
    : { encrypted: bytes.toString('base64') }
}

function snakeBytes(start: Slice): Buffer | undefined {
  const parts: Buffer[] = []
  let size = 0
  try {
    for (let slice: Slice | undefined = start; slice && size < MAX_BYTES; ) {
      if (slice.remainingBits % 8 !== 0) return undefined
      const part: Buffer = slice.loadBytes(slice.remainingBits / 8)
      parts.push(part)
      size += part.length
      slice = slice.remainingRefs > 0 && slice.refType() === CELL.ordinary ? slice.loadRefSlice() : undefined
    }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
  return Buffer.concat(parts)
}
