import { parseBoc } from '@shardwalk/cells'
import { isCommentOpcode, MESSAGE } from '@shardwalk/contracts'
import { attempt } from './body.ts'
import { decodeComment } from './core/comment.ts'

/**
 * Comment in a stored payload (base64 of a bag of cells). Without a payload both are null; for a payload that
 * is not a comment, text is null and encrypted false.
 */
export function decodePayloadComment(boc: string | null | undefined): {
  readonly text: string | null
  readonly encrypted: boolean | null
} {
  if (!boc) return { text: null, encrypted: null }
  const comment = attempt(() => {
    const bag = parseBoc(Buffer.from(boc, 'base64'), { verifyCrc: false })
    const slice = bag.slice(bag.root)
    const opcode = slice.remainingBits < 32 ? undefined : slice.loadUint(32)
    return isCommentOpcode(opcode) ? decodeComment(slice, opcode === MESSAGE.encryptedComment) : undefined
  })
  return { text: comment?.text || null, encrypted: comment?.encrypted ?? false }
}
