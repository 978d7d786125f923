import type { Cell } from '@shardwalk/cells'
import { type DecodedMessage, DecodeError } from '@shardwalk/model'
import { loadMessage } from '@shardwalk/tlb'
import { NodeAccessError } from '../errors.ts'

/** Hashes of an external message: that of its cell, and that of its normalised form. */
export interface MessageHashes {
  readonly hash: Buffer
  /** Source: TEP-467. */
  readonly hashNorm: Buffer
}

/** The hashes of an external message, given its root cell. Throws `NodeAccessError` for anything else. */
export function messageHashes(root: Cell): MessageHashes {
  const { hash, hashNorm = hash } = readExternal(root)
  return { hash, hashNorm }
}

/** As tonlib, says of what is not a message at all that it is none, not of which kind it would be. */
function readExternal(root: Cell): DecodedMessage {
  const message = unpack(root)
  if (message.kind === 'external_in') return message
  throw new NodeAccessError('message_not_external', 'CommonMsgInfo tag is not ext_in_msg_info')
}

function unpack(root: Cell): DecodedMessage {
  if (root.isExotic) throw malformed()
  try {
    return loadMessage(root.slice())
  } catch (error) {
    if (error instanceof DecodeError) throw malformed(error)
    throw error
  }
}

const malformed = (cause?: unknown) =>
  new NodeAccessError('message_malformed', 'Failed to unpack Message', { cause })
