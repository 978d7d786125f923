import type { Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import type { EventNode } from './node.ts'

/** Opcode of an encrypted comment. */
export const EncryptedComment = 0x2167da4b

export interface Comment {
  /** Text, or base64 of the encrypted bytes. */
  readonly text: string
  readonly encrypted: boolean
}

/** More bytes than any wallet shows; a chain of references may go on for ever. */
const MAX_COMMENT_BYTES = 64 * 1024

/** Comment of a plain transfer: after the opcode, whole bytes in a snake. Undefined: nothing readable. */
export function readComment(node: EventNode): Comment | undefined {
  try {
    const body = node.body()
    if (body.remainingBits < 32) return undefined
    const encrypted = body.loadUint(32) === EncryptedComment
    if (body.remainingBits < 8 || body.remainingBits % 8 !== 0 || body.remainingRefs > 1) return undefined
    const comment = decodeComment(body, encrypted)
    return comment.text === '' ? undefined : comment
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Reads the rest of `slice` as a comment. */
export function decodeComment(slice: Slice, encrypted: boolean): Comment {
  const bytes = readSnake(slice)
  return { text: encrypted ? bytes.toString('base64') : decodeText(bytes), encrypted }
}

/** Bytes of a cell, then of its first reference, and so on. */
export function readSnake(slice: Slice): Buffer {
  const parts: Buffer[] = []
  let length = 0
  for (
    let cell: Slice | undefined = slice;
    cell;
    cell = cell.remainingRefs > 0 ? cell.loadRefSlice() : undefined
  ) {
    const part = cell.loadBytes(cell.remainingBits >> 3)
    parts.push(part)
    length += part.length
    if (length > MAX_COMMENT_BYTES) break
  }
  return Buffer.concat(parts)
}

/** UTF-8; a byte that is none becomes `\xNN`, and NUL, which text columns cannot hold, disappears. */
export function decodeText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  const exact = text.includes('\ufffd') ? decodeDamaged(bytes) : text
  return exact.replaceAll('\0', '')
}

function decodeDamaged(bytes: Buffer): string {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at]!)
    try {
      text += strict.decode(bytes.subarray(at, at + length))
      at += length
    } catch {
      text += `\\x${bytes[at]!.toString(16).padStart(2, '0')}`
      at += 1
    }
  }
  return text
}

const sequenceLength = (first: number): number => (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4)
