import type { Cell } from '@shardwalk/cells'
import { type DecodedMessage, DecodeError } from '@shardwalk/model'
import { loadMessage } from '@shardwalk/tlb'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'

/** Number of servers that a message is sent to; each broadcasts it to its neighbours. */
const COPIES = 5
/**
 * Maximum size accepted by nodes. Source: node, `crypto/block/mc-config.h`,
 * `SizeLimitsConfig::ExtMsgLimits::max_size`.
 */
const MAX_MESSAGE_BYTES = 65_535
/** Source: block.tlb `ext_in_msg_info$10`. */
const EXTERNAL_IN = 0b10

interface OutgoingMessage {
  /** Sent unchanged: another bag of the same cells may have another size. */
  readonly boc: Buffer
  /** Root cell of `boc`. */
  readonly root: Cell
}

export interface MessageHashes {
  readonly hash: Buffer
  /** Source: TEP-467. */
  readonly hashNorm: Buffer
}

/** Sends an external message. A message that a server accepted is stored. */
export async function sendMessage(
  { client, sent }: NodeAccess,
  { boc, root }: OutgoingMessage,
): Promise<MessageHashes> {
  if (boc.length > MAX_MESSAGE_BYTES)
    throw new NodeAccessError('message_too_large', 'external message too large, rejecting')
  const { hash, hashNorm = hash } = readExternal(root)
  await client.pool.sendMessage(boc, { copies: COPIES })
  sent.remember({ hashNorm, boc })
  return { hash, hashNorm }
}

function readExternal(root: Cell): DecodedMessage {
  if (root.isExotic || root.bits < 2) throw malformed()
  const message = unpack(root)
  if (root.slice().preloadUint(2) !== EXTERNAL_IN)
    throw new NodeAccessError('message_not_external', 'CommonMsgInfo tag is not ext_in_msg_info')
  return message
}

function unpack(root: Cell): DecodedMessage {
  try {
    return loadMessage(root.slice())
  } catch (error) {
    if (error instanceof DecodeError) throw malformed(error)
    throw error
  }
}

const malformed = (cause?: unknown) =>
  new NodeAccessError('message_malformed', 'Failed to unpack Message', { cause })
