import { type Cell, loadSnake, type Slice, type SnakeOptions } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { MESSAGE } from '../opcodes/message.ts'
import { decodeText } from './text.ts'

const MAX_BYTES = 256 * 1024

/** A comment: readable text, or the bytes that only sender and receiver can decrypt, in base64. */
export type Comment = { readonly text: string } | { readonly encrypted: string }

/**
 * The comment of a message body or forward payload, made fit for storage: bytes that are not UTF-8 become
 * U+FFFD and NUL characters are removed. Undefined when it is something else, or damaged. Source:
 * docs.ton.org, "Internal messages": opcode 0 and text, opcode 0x2167da4b and cipher text, both as snake
 * data.
 */
export function readComment(payload: Cell): Comment | undefined {
  if (payload.isExotic || payload.bits < 32) return undefined
  const slice = payload.slice()
  const opcode = slice.loadUint(32)
  if (!isCommentOpcode(opcode)) return undefined
  const bytes = readCommentBytes(slice, { exotic: 'stop', maxBytes: MAX_BYTES })
  if (!bytes) return undefined
  return opcode === MESSAGE.encryptedComment
    ? { encrypted: bytes.toString('base64') }
    : { text: decodeText(bytes, { damaged: 'replace' }) }
}

export const isCommentOpcode = (opcode: number | undefined): boolean =>
  opcode === MESSAGE.textComment || opcode === MESSAGE.encryptedComment

/**
 * The bytes behind the opcode of a comment; undefined when the options refuse them or the cells are damaged.
 */
export function readCommentBytes(afterOpcode: Slice, options: SnakeOptions): Buffer | undefined {
  try {
    return loadSnake(afterOpcode, options)?.bytes
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
