import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'
import type { MessageHashes } from './message-hashes.ts'

/** Number of servers that a message is sent to; each broadcasts it to its neighbours. */
const COPIES = 5
/**
 * Maximum size accepted by nodes. Source: node, `crypto/block/mc-config.h`,
 * `SizeLimitsConfig::ExtMsgLimits::max_size`.
 */
const MAX_MESSAGE_BYTES = 65_535

interface OutgoingMessage {
  /** Sent unchanged: another bag of the same cells may have another size. */
  readonly boc: Buffer
  /** Reads the hashes; called after the size was checked. */
  readonly hashes: () => Promise<MessageHashes>
}

/** Sends an external message. A message that a server accepted is stored. */
export async function sendMessage(
  { client, sent }: NodeAccess,
  { boc, hashes }: OutgoingMessage,
): Promise<MessageHashes> {
  if (boc.length > MAX_MESSAGE_BYTES)
    throw new NodeAccessError('message_too_large', 'external message too large, rejecting')
  const found = await hashes()
  await sent.sending({ hashNorm: found.hashNorm, boc }, () =>
    client.pool.sendMessage(boc, { copies: COPIES }),
  )
  return found
}
