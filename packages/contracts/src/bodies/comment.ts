import { type Cell, loadSnake, type Slice, type SnakeOptions } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { MESSAGE } from '../opcodes/message.ts'
import { decodeText } from './text.ts'

const MAX_BYTES = 256 * 1024

/** A comment: readable text, or base64 of the encrypted bytes, which only sender and receiver can decrypt. */
export type Comment = { readonly text: string } | { readonly encrypted: string }

/**
 * Reads the comment of a message body or forward payload in a form that PostgreSQL can store: invalid UTF-8
 * becomes U+FFFD, NUL characters are removed. Returns undefined when the payload is not a comment or is
 * damaged. Source: docs.ton.org, "Internal messages": opcode 0 followed by text, opcode 0x2167da4b followed
 * by cipher text, both as snake data.
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

/** Whether a body with this opcode is a comment, encrypted or not. */
export const isCommentOpcode = (opcode: number | undefined): boolean =>
  opcode === MESSAGE.textComment || opcode === MESSAGE.encryptedComment

/**
 * The bytes after the opcode of a comment; undefined when the options reject them or the cells are damaged.
 */
export function readCommentBytes(afterOpcode: Slice, options: SnakeOptions): Buffer | undefined {
  try {
    return loadSnake(afterOpcode, options)?.bytes
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
