import type { Slice } from '@shardwalk/cells'
import { decodeText, MESSAGE, readCommentBytes } from '@shardwalk/contracts'
import { DecodeError } from '@shardwalk/model'
import type { EventNode } from './node.ts'

/** What a plain transfer says: opcode 0, or 0x2167da4b if it is encrypted. */
export interface Comment {
  /** Text, or base64 of the encrypted bytes. */
  readonly text: string
  readonly encrypted: boolean
}

/** More than any wallet displays. */
const MAX_COMMENT_BYTES = 64 * 1024

/**
 * Comment of a plain transfer: after the opcode, whole bytes in a snake. Undefined when there is nothing
 * readable.
 */
export function readComment(node: EventNode): Comment | undefined {
  try {
    const body = node.body()
    if (body.remainingBits < 32) return undefined
    const encrypted = body.loadUint(32) === MESSAGE.encryptedComment
    if (body.remainingBits < 8 || body.remainingBits % 8 !== 0 || body.remainingRefs > 1) return undefined
    const comment = decodeComment(body, encrypted)
    return comment?.text === '' ? undefined : comment
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/**
 * The rest of `slice` as a comment: odd bits are dropped, and invalid UTF-8 becomes `\xNN`. Undefined when
 * its cells cannot be read.
 */
export function decodeComment(slice: Slice, encrypted: boolean): Comment | undefined {
  const bytes = readCommentBytes(slice, { oddBits: 'drop', maxBytes: MAX_COMMENT_BYTES })
  if (!bytes) return undefined
  return { text: encrypted ? bytes.toString('base64') : decodeText(bytes, { damaged: 'escape' }), encrypted }
}
